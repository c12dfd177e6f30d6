// SPDX-License-Identifier: Apache-2.0
// A control of one thread begins while enqueued tasks wait, and lasts until they are over: libtbb has no workers any more, but for
// tasks that are enqueued. Those that wait go on all the same, whether they were ready before or are later.
// auto: suspended >= 1 and lane == 'suspend'
// suspend: suspended >= 100
// park: suspended == 0 and parked >= 100
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "case.h"

namespace {

constexpr int tasks = 20;

void wait_for(const std::atomic<int>& left) {
  while (left) usleep(300);
}

// Main is in no arena. Some wait for `ms`, some only until about the time when the control begins.
void control_begins(int ms) {
  std::atomic<int> left{tasks}, begun{0};
  tbb::task_arena arena(4);
  for (int i = 0; i < tasks; ++i)
    arena.enqueue([&, i] {
      ++begun;
      check(wait_ms(i % 4 ? ms : 2), "a wait");
      --left;
    });
  while (!begun) usleep(100);
  usleep(2000);
  tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  wait_for(left);
}

}  // namespace

int main() {
  check(std::freopen("/dev/null", "w", stderr), "nothing said");  // libtbb warns of more than a control allows
  for (int round = 0; round < 8; ++round) control_begins(round % 2 ? 4 : 12);
  std::printf("all over\n");
}
