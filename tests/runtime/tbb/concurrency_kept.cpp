// SPDX-License-Identifier: Apache-2.0
// How many threads there are is the same to a program before and after its calls wait, and inside tasks.
// suspend: suspended >= 60
// park: parked >= 60
// auto: suspended >= 60
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>

#include "case.h"

int main() {
  tbb::task_arena arena;
  tbb::task_group group;
  const int threads = tbb::this_task_arena::max_concurrency();
  const int in_arena = arena.max_concurrency();
  std::atomic<int> others{0};
  auto same = [&] { return tbb::this_task_arena::max_concurrency() == threads && arena.max_concurrency() == in_arena; };
  for (int round = 0; round < 2; ++round) {
    tbb::parallel_for(0, 50, [&](int) { others += !wait_ms(5) || !same(); });
    group.run_and_wait([&] { others += !wait_ms(5) || !same(); });
    others += !same();
  }
  tbb::global_control more(tbb::global_control::max_allowed_parallelism, 16);
  tbb::parallel_for(0, 50, [&](int) { others += !wait_ms(5) || !same(); });
  std::printf("%d %d, other answers %d\n", threads, in_arena, others.load());
}
