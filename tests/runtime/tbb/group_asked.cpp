// SPDX-License-Identifier: Apache-2.0
// A program that has handed a task to a group, to an arena or to nobody yet, and asks how many threads there are, is told
// what it would be told before: no loop begins there.
// suspend: suspended >= 2
// park: suspended == 0
// suspend WEIR_STAND_INS=1: suspended >= 2
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "case.h"

int main() {
  auto asked = [] { return tbb::this_task_arena::max_concurrency(); };
  std::printf("%d at first\n", asked());
  for (int round = 0; round < 3; ++round) {
    tbb::task_group group;
    group.run([] { wait_ms(5); });
    std::printf("%d %d after run\n", asked(), asked());
    auto kept = group.defer([] { wait_ms(5); });
    std::printf("%d %d after defer\n", asked(), asked());
    group.run(std::move(kept));
    { auto dropped = group.defer([] {}); }
    std::printf("%d %d after one was dropped\n", asked(), asked());
    tbb::this_task_arena::enqueue([] { wait_ms(1); });
    std::printf("%d %d after enqueue\n", asked(), asked());
    group.wait();
    tbb::parallel_for(0, 10, [](int) {});
    std::printf("%d %d after a loop\n", asked(), asked());
  }
}
