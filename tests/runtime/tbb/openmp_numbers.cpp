// SPDX-License-Identifier: Apache-2.0
// Tasks of oneTBB's wait, and then have a construct of OpenMP's, for which clang's code knows the thread's number from before; and
// they wait for loops of oneTBB within a region, on top of which libtbb would go on with others.
// auto: lane_reason == 'thread_bound' and parked >= 100
// park: suspended == 0 and parked >= 100
#include "with_openmp.h"

namespace {

void loops_in_regions() {
  in_onetbb(8, [](int i) {
#pragma omp parallel for
    for (int j = 0; j < 4; ++j) in_onetbb(5, [=](int k) { add(i * j + k); });
  });
}

void numbers_over_waits() {
  in_onetbb(40, [](int i) {
    add(i);
    long all = 0;
#pragma omp parallel for num_threads(2) if (i % 3 == 0)
    for (int j = 0; j < 4; ++j) {
#pragma omp critical
      all += j;
    }
    add(static_cast<int>(all));
  });
}

}  // namespace

int main() {
  for (int round = 0; round < 5; ++round) loops_in_regions();
  for (int round = 0; round < 5; ++round) numbers_over_waits();
  std::printf("%ld\n", sum.load());
}
