// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_within.h"

#include <utility>

#include "omp_ext/task_region.h"

namespace weir::omp {
namespace {

std::int32_t no_routine(std::int32_t, KmpTask*) { return 0; }

// nullptr: the current task has no children that could end meanwhile.
KmpTask* begin_parent(Member* member) {
  if (!member || member->serialized) return nullptr;
  const Task& task = *member->current;
  if (task.children.none() && task.lingering.none()) return nullptr;
  const std::int32_t flags = flag_tied | (task.final ? flag_final : 0);
  KmpTask* parent = libomp().task_alloc(nullptr, member->gtid, flags, sizeof(KmpTask), 0, no_routine);
  if (parent) libomp().task_begin_if0(nullptr, member->gtid, parent);
  return parent;
}

void end_parent(KmpTask* parent) {
  if (parent) libomp().task_complete_if0(nullptr, member_now().gtid, parent);
}

}  // namespace

RegionWithin::RegionWithin(Member* around) : around_(around), parent_(begin_parent(around)) {
  if (!around_) return;
  serialized_ = around_->serialized;
  parent_around_ = std::exchange(around_->region_parent, nullptr);
}

RegionWithin::~RegionWithin() {
  if (around_) {
    around_->serialized = serialized_;
    around_->region_parent = parent_around_;
  }
  end_parent(parent_);
}

void RegionWithin::is_left_to_libomp() {
  if (around_) ++around_->serialized;
}

void begin_serialized(Member* around) {
  if (!around) return;
  if (KmpTask* parent = begin_parent(around)) around->region_parent = parent;
  ++around->serialized;
}

void end_serialized(Member* around) {
  if (!around) return;
  if (around->serialized) --around->serialized;
  if (!around->serialized) end_parent(std::exchange(around->region_parent, nullptr));
}

}  // namespace weir::omp
