// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_parent.h"

#include <utility>

#include "omp_ext/task_region.h"

namespace weir::omp {
namespace {

std::int32_t no_routine(std::int32_t, KmpTask*) { return 0; }

}  // namespace

KmpTask* begin_region_parent(Member* member) {
  if (!member || member->serialized) return nullptr;
  const Task& task = *member->current;
  if (task.children.none() && task.lingering.none()) return nullptr;
  const std::int32_t flags = flag_tied | (task.final ? flag_final : 0);
  KmpTask* parent = libomp().task_alloc(nullptr, member->gtid, flags, sizeof(KmpTask), 0, no_routine);
  if (parent) libomp().task_begin_if0(nullptr, member->gtid, parent);
  return parent;
}

void end_region_parent(KmpTask* parent) {
  if (parent) libomp().task_complete_if0(nullptr, member_now().gtid, parent);
}

RegionParent::RegionParent(Member* member) : member_(member), parent_(begin_region_parent(member)) {
  if (member_) around_ = std::exchange(member_->region_parent, nullptr);
}

RegionParent::~RegionParent() {
  if (member_) member_->region_parent = around_;
  end_region_parent(parent_);
}

}  // namespace weir::omp
