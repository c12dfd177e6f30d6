// SPDX-License-Identifier: Apache-2.0
// static_partitioner makes a piece a processor, and what a program computes by pieces depends on them: a sum of rounded
// numbers, and how often a body is called. Before a call has waited, while some wait, and after.
// suspend: suspended >= 10
// park: suspended == 0
// suspend WEIR_STAND_INS=1: suspended >= 10
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <atomic>
#include <functional>

#include "case.h"

namespace {

int pieces_of_loop(bool waiting) {
  std::atomic<int> pieces{0};
  tbb::parallel_for(tbb::blocked_range<int>(0, 5000), [&](const tbb::blocked_range<int>& range) {
    ++pieces;
    for (int i = range.begin(); waiting && i < range.end(); i += 500) wait_ms(2);
  }, tbb::static_partitioner());
  return pieces;
}

float sum_by_pieces(bool waiting) {
  return tbb::parallel_deterministic_reduce(
      tbb::blocked_range<int>(1, 100000), 0.0f,
      [&](const tbb::blocked_range<int>& range, float sum) {
        if (waiting) wait_ms(2);
        for (int i = range.begin(); i != range.end(); ++i) sum += 1.0f / static_cast<float>(i);
        return sum;
      },
      std::plus<>(), tbb::static_partitioner());
}

}  // namespace

int main() {
  for (int round = 0; round < 6; ++round) {
    bool waiting = round % 2 == 1;
    std::printf("%d pieces, %.9g\n", pieces_of_loop(waiting), static_cast<double>(sum_by_pieces(waiting)));
  }
  tbb::parallel_for(0, 50, [](int) { wait_ms(2); });
  std::printf("%d pieces\n", pieces_of_loop(true));
}
