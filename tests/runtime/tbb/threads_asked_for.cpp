// SPDX-License-Identifier: Apache-2.0
// A program that asks for more threads than there are cores has them at once: here they wait for each other.
// suspend: suspended == 0
// auto: suspended == 0
// park: suspended == 0 and fallbacks.get('gate_timeout', 0) == 0
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <condition_variable>
#include <mutex>

#include "case.h"

namespace {

// Ends when all `count` tasks stand in it at once.
void meet(int count) {
  std::mutex mutex;
  std::condition_variable all;
  int there = 0;
  tbb::task_group group;
  for (int i = 0; i < count; ++i)
    group.run([&] {
      std::unique_lock lock(mutex);
      if (++there == count) all.notify_all();
      all.wait(lock, [&] { return there == count; });
    });
  group.wait();
}

}  // namespace

int main() {
  tbb::global_control six(tbb::global_control::max_allowed_parallelism, 6);
  tbb::task_arena arena(6);
  arena.execute([] { meet(6); });
  std::printf("met\n");
}
