// SPDX-License-Identifier: Apache-2.0
// Tasks of oneTBB's begin regions of OpenMP. What waits within both is not set aside: what OpenMP keeps of one is the thread's.
// auto: lane_reason == 'thread_bound' and parked >= 100
// suspend: suspended >= 50 and fallbacks.get('construct', 0) >= 100
// park: suspended == 0 and parked >= 100
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <atomic>

#include "case.h"

namespace {

std::atomic<long> sum{0};

template <typename Body>
void in_onetbb(int count, Body body) {
  tbb::parallel_for(tbb::blocked_range<int>(0, count, 1), [=](tbb::blocked_range<int> part) {
    for (int i = part.begin(); i != part.end(); ++i) body(i);
  });
}

void add(int i) {
  if (wait_us(300)) sum += i;
}

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
