// SPDX-License-Identifier: Apache-2.0
// An exception thrown after a call reaches the caller of the algorithm; a cancelled group ends; both while others wait.
// suspend: suspended >= 5
// auto: suspended >= 5
// park: parked >= 2
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <stdexcept>

#include "case.h"

int main() {
  for (int round = 0; round < 20; ++round) {
    bool caught = false;
    try {
      tbb::parallel_for(0, 50, [round](int i) {
        wait_ms(1);
        if (i == round * 2) throw std::out_of_range("thrown after a wait");
      });
    } catch (const std::out_of_range&) {
      caught = true;
    }
    check(caught, "the exception was lost");
  }
  std::atomic<int> begun{0}, ended{0};
  tbb::task_group group;
  for (int i = 0; i < 50; ++i)
    group.run([&, i] {
      ++begun;
      wait_ms(2);
      if (i % 10 == 3) group.cancel();
      ++ended;
    });
  check(group.wait() == tbb::canceled, "the group was not cancelled");
  check(begun == ended, "a body was dropped in its middle");
  wait_ms(1);
  std::printf("done\n");
}
