// SPDX-License-Identifier: Apache-2.0
// Tasks of oneTBB's begin regions of OpenMP. What waits within both is not set aside: what OpenMP keeps of one is the thread's.
// auto: lane_reason == 'thread_bound' and parked >= 100
// suspend: suspended >= 50 and fallbacks.get('construct', 0) >= 100
// park: suspended == 0 and parked >= 100
#include "with_openmp.h"

namespace {

void regions_in_tasks() {
  in_onetbb(40, [](int i) {
    add(i);
#pragma omp parallel for num_threads(2)
    for (int j = 0; j < 4; ++j) add(i * j);
    add(i);
  });
}

}  // namespace

int main() {
  for (int round = 0; round < 5; ++round) regions_in_tasks();
  std::printf("%ld\n", sum.load());
}
