// SPDX-License-Identifier: Apache-2.0
// The leaves of a loop wait side by side, from the first loop on, whatever its partitioner: pieces are small, and more are
// made of them where calls wait.
// suspend: suspended >= 570 and peak_suspended >= 100
// auto: suspended >= 570 and peak_suspended >= 100
// park: parked >= 570 and peak_in_flight >= 40
// suspend WEIR_STAND_INS=1: suspended >= 570
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <atomic>
#include <functional>

#include "case.h"

int main() {
  constexpr int leaves = 300;
  auto leaf = [](int i) { return wait_ms(20) ? i : 0; };
  long first = tbb::parallel_reduce(
      tbb::blocked_range<int>(0, leaves), 0L,
      [&](const tbb::blocked_range<int>& range, long sum) {
        for (int i = range.begin(); i != range.end(); ++i) sum += leaf(i);
        return sum;
      },
      std::plus<>());
  std::atomic<long> second{0};
  tbb::affinity_partitioner before;
  tbb::parallel_for(0, leaves, [&](int i) { second += leaf(i); }, before);
  std::printf("%ld %ld\n", first, second.load());
}
