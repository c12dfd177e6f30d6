// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/gomp_region.h"

#include "omp_ext/task_memory.h"
#include "omp_ext/team.h"

namespace weir::omp {

static Member* on_the_ground() {
  come_to_ground();
  return innermost_member();
}

GompRegion::GompRegion(void (*&body)(void*), void*& data, bool reductions) : within_(on_the_ground()) {
  if (!regions_wanted() || sets_nothing_aside(reinterpret_cast<const void*>(body))) {
    within_.is_left_to_libomp();
    return;
  }
  libomp().global_thread_num(nullptr);  // from here on it knows the thread
  region_.outlives_root = may_end_before_its_team();
  region_.gomp_code = body;
  region_.gomp_data = data;
  passed_ = {reductions ? *static_cast<void**>(data) : nullptr, &region_};
  body = run;
  data = &passed_;
}

void GompRegion::run(void* passed) {
  Region& region = *static_cast<Passed*>(passed)->region;
  bool entered = enter(region, libomp().global_thread_num(nullptr));
  region.gomp_code(region.gomp_data);
  if (!entered) return left_outside();
  if (Member* member = member_here()) settle(*member);
  leave();
}

}  // namespace weir::omp
