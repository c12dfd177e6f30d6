// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "omp_ext/libomp.h"

namespace weir::omp {

struct Member;

// libomp has a region within a region run by the one thread that comes to it. At its end it stops the program unless the task
// that began it is marked as one that does not run now; and each child of that task that was set aside marks its parent as one
// that does, when it ends, whatever the parent is at. So such a region is begun by a task of our own, which has no children.
// nullptr: the current task has none that could end meanwhile.
KmpTask* begin_region_parent(Member* member);
void end_region_parent(KmpTask* parent);

// Around a fork by the thread of `member`, if it has one: the region has such a parent.
class RegionParent {
 public:
  explicit RegionParent(Member* member);
  ~RegionParent();
  RegionParent(const RegionParent&) = delete;
  RegionParent& operator=(const RegionParent&) = delete;

 private:
  Member* member_;
  KmpTask* parent_;
  KmpTask* around_ = nullptr;  // libomp itself ends a serialized region by the exported name, which is to end no other's
};

}  // namespace weir::omp
