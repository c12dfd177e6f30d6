// SPDX-License-Identifier: Apache-2.0
// As all_blocked, where an observer of the program's is to see no more threads than there are cores.
// auto WEIR_WATCHDOG_MS=20: suspended >= 1
// suspend WEIR_WATCHDOG_MS=20: suspended >= 1
#include <oneapi/tbb/task_scheduler_observer.h>

#include "all_blocked.h"

namespace {

struct Observer : tbb::task_scheduler_observer {
  void on_scheduler_entry(bool) override { ++came; }
  std::atomic<int> came{0};
};

}  // namespace

int main() {
  Observer observer;
  observer.observe(true);
  const int readers = 2 * static_cast<int>(std::thread::hardware_concurrency()) + 1;
  for (int round = 0; round < 2; ++round) all_read("with a lock", readers, read_with_a_lock);
  check(observer.came > 0, "threads came");
  observer.observe(false);
}
