// SPDX-License-Identifier: Apache-2.0
// A thread_local that is used before and after a call is the same one: auto has to see it coming.
// auto: suspended == 0 and parked >= 30 and lane == 'park'
// park: suspended == 0 and parked >= 30
#include <oneapi/tbb/task_group.h>

#include <atomic>

#include "case.h"

thread_local int mine = 0;

int main() {
  std::atomic<int> wrong{0};
  tbb::task_group group;
  for (int i = 1; i <= 100; ++i)
    group.run([i, &wrong] {
      mine = i;
      wait_ms(2);
      if (mine != i) ++wrong;
    });
  group.wait();
  std::printf("%d of 100 wrong\n", wrong.load());
}
