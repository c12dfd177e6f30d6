// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "omp_ext/region_within.h"
#include "omp_ext/task_region.h"

namespace weir::omp {

// Around a GOMP_parallel*: the team runs our function, which runs the program's. Where nothing may be set
// aside it keeps the region around from taking this one's barriers for its own.
class GompRegion {
 public:
  GompRegion(void (*&body)(void*), void*& data, bool reductions = false);
  GompRegion(const GompRegion&) = delete;
  GompRegion& operator=(const GompRegion&) = delete;

 private:
  // What libomp finds behind `data`: it looks for the reductions there.
  struct Passed {
    void* reductions = nullptr;
    Region* region = nullptr;
  };
  static void run(void* passed);

  Region region_;
  Passed passed_;
  RegionWithin within_;
};

}  // namespace weir::omp
