// SPDX-License-Identifier: Apache-2.0
// What a task keeps by the number of its slot is its own over a call; and a slot's number is below the concurrency that
// the program sized its table by.
// auto: suspended == 0 and parked >= 30 and lane_reason == 'thread_bound'
// park: suspended == 0 and parked >= 30
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <vector>

#include "case.h"

int main() {
  std::vector<int> table(tbb::this_task_arena::max_concurrency(), 0);
  std::atomic<int> wrong{0};
  tbb::task_group group;
  for (int i = 1; i <= 100; ++i)
    group.run([&, i] {
      auto slot = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
      if (slot >= table.size()) return void(++wrong);
      table[slot] = i;
      wait_ms(2);
      if (table[slot] != i) ++wrong;
    });
  group.wait();
  std::printf("%d of 100 wrong\n", wrong.load());
}
