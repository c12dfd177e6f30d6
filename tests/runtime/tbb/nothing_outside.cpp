// SPDX-License-Identifier: Apache-2.0
// Outside a task nothing is set aside: before main, between algorithms, in a thread of the program's own, in
// task_arena::execute and isolate.
// suspend: suspended == 0
// auto: suspended == 0
// park: suspended == 0
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>

#include "case.h"

namespace {
const bool before_main = wait_ms(2);
}

int main() {
  check(before_main, "before main");
  check(wait_ms(2), "before any algorithm");
  std::atomic<int> sum{0};
  tbb::parallel_for(0, 1000, [&](int i) { sum += i; });
  check(wait_ms(2), "between algorithms");
  std::thread([] { check(wait_ms(2), "in a thread"); }).join();
  tbb::task_arena arena;
  arena.execute([] { check(wait_ms(2), "in an arena, in no task"); });
  tbb::this_task_arena::isolate([] { check(wait_ms(2), "isolated, in no task"); });
  tbb::parallel_for(0, 1000, [&](int i) { sum += i; });
  std::printf("sum %d\n", sum.load());
}
