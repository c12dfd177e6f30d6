// SPDX-License-Identifier: Apache-2.0
// A task that asks for its slot's number only after a call that waited is told one below the concurrency that the program
// sized its table by.
// auto: suspended + parked >= 30
// park: suspended == 0 and parked >= 30
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <vector>

#include "case.h"

int main() {
  std::vector<std::atomic<int>> table(static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()));
  std::atomic<int> wrong{0};
  tbb::parallel_for(0, 200, [&](int) {
    wait_ms(2);
    auto slot = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    if (slot >= table.size()) return void(++wrong);
    ++table[slot];
  }, tbb::simple_partitioner());
  int counted = 0;
  for (auto& entry : table) counted += entry;
  std::printf("%d counted, %d wrong\n", counted, wrong.load());
}
