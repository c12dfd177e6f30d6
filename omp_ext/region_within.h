// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "omp_ext/libomp.h"

namespace weir::omp {

struct Member;

// Around a fork by the thread of `around`, if it has one: what the region leaves changed there is as it was before.
//
// libomp has a region within a region run by the one thread that comes to it. At its end it stops the program unless the task
// that began it is marked as one that does not run now; and each child of that task that was set aside marks its parent as one
// that does, when it ends, whatever the parent is at. So such a region is begun by a task of our own, which has no children.
class RegionWithin {
 public:
  explicit RegionWithin(Member* around);
  ~RegionWithin();
  RegionWithin(const RegionWithin&) = delete;
  RegionWithin& operator=(const RegionWithin&) = delete;

  // Its tasks are none of our business, and its barriers not those of the region around it, of which this thread is one.
  void is_left_to_libomp();

 private:
  Member* around_;
  KmpTask* parent_;
  // libomp itself ends a serialized region by the exported name, which is to end no other's.
  std::int32_t serialized_ = 0;
  KmpTask* parent_around_ = nullptr;
};

// The same where it begins and ends by a call each.
void begin_serialized(Member* around);
void end_serialized(Member* around);

}  // namespace weir::omp
