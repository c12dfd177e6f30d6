// SPDX-License-Identifier: Apache-2.0
// An arena of one slot, and a control that allows one thread, have one task run at a time: what a task read before its call waited
// stands after it, though nothing is locked. And an arena as large as a program makes it is that large.
// auto: suspended >= 1 and parked >= 1 and fallbacks.get('in_order', 0) >= 1
// park: not suspended
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "case.h"

namespace {

constexpr int tasks = 30;
int counter = 0;

void counts() {
  int before = counter;
  usleep(1000);
  counter = before + 1;
}

void in_group() {
  tbb::task_group group;
  for (int i = 0; i < tasks; ++i) group.run(counts);
  group.wait();
}

void report(const char* where) {
  std::printf("%s: %d\n", where, counter);
  counter = 0;
}

void in_arena(const char* where, int reserved) {
  tbb::task_arena arena(1, static_cast<unsigned>(reserved));
  arena.execute(in_group);
  report(where);
  arena.execute([] { tbb::parallel_for(0, tasks, [](int) { counts(); }); });
  report(where);
}

}  // namespace

int main() {
  std::atomic<int> all{0};  // elsewhere tasks are set aside
  tbb::parallel_for(0, 100, [&](int) {
    usleep(1000);
    ++all;
  });
  std::printf("%d\n", all.load());
  in_arena("an arena of one slot", 1);
  in_arena("one of a worker's", 0);
  {
    tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    in_group();
    report("a control");
  }
  check(std::freopen("/dev/null", "w", stderr), "nothing said");  // libtbb warns of more than there are cores
  for (int size : {3, 64, 512}) {
    tbb::task_arena arena(size);
    arena.execute([] { std::printf("%d slots\n", tbb::this_task_arena::max_concurrency()); });
  }
}
