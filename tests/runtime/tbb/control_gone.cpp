// SPDX-License-Identifier: Apache-2.0
// More threads than cores compute only while a global_control allows them; a task_arena's size is no such wish. And a thread
// that comes from a larger arena is told a number below the concurrency of the one that it comes to.
// suspend: suspended == 0
// park: parked == 0
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>

#include "case.h"

namespace {

// Do more threads than an arena of default size has take part in loops at once?
bool crowded() {
  std::atomic<int> inside{0}, most{0};
  for (int round = 0; round < 30; ++round)
    tbb::parallel_for(0, 64, [&](int) {
      int now = ++inside, before = most;
      while (now > before && !most.compare_exchange_weak(before, now)) {}
      compute(50'000);
      --inside;
    }, tbb::simple_partitioner());
  return most > tbb::this_task_arena::max_concurrency();
}

// Is any slot's number beyond what a table of the default size has?
bool beyond() {
  const int bound = tbb::this_task_arena::max_concurrency();
  std::atomic<bool> found{false};
  for (int round = 0; round < 30; ++round)
    tbb::parallel_for(0, 64, [&](int) {
      compute(50'000);
      if (tbb::this_task_arena::current_thread_index() >= bound) found = true;
    }, tbb::simple_partitioner());
  return found;
}

void meet_in(tbb::task_arena& arena, int threads) {
  std::atomic<int> there{0};
  arena.execute([&] {
    tbb::parallel_for(0, threads, [&](int) {
      for (++there; there < threads;) std::this_thread::yield();
    }, tbb::simple_partitioner());
  });
}

}  // namespace

int main() {
  tbb::task_arena large(16);
  large.execute([] { tbb::parallel_for(0, 64, [](int) {}); });
  std::printf("after a large arena: %s\n", crowded() ? "crowded" : "as many as there are");
  {
    tbb::global_control eight(tbb::global_control::max_allowed_parallelism, 8);
    meet_in(large, 8);
  }
  std::printf("after a control: %s\n", crowded() ? "crowded" : "as many as there are");
  std::printf("slots: %s\n", beyond() ? "beyond the bound" : "below the bound");
}
