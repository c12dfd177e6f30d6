// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <vector>

#include "case.h"

// 200 tasks that ask for their slot's number after calls that waited, and keep it over one more: each is to be told one
// below the concurrency that the program sized its table by, and no other's that has not ended yet.
inline void ask_at_last() {
  std::vector<std::atomic<int>> in_use(static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()));
  std::atomic<int> right{0}, beyond{0}, twice{0};
  const auto task = [&](int) {
    for (int i = 0; i < 5; ++i) wait_ms(2);
    auto number = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    if (number >= in_use.size()) return void(++beyond);
    if (in_use[number].exchange(1)) ++twice;
    wait_us(500);
    compute(100'000);
    in_use[number] = 0;
    ++right;
  };
  tbb::parallel_for(0, 200, task, tbb::simple_partitioner());
  std::printf("%d right, %d beyond, %d in use\n", right.load(), beyond.load(), twice.load());
}
