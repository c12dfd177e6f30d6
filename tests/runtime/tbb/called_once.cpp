// SPDX-License-Identifier: Apache-2.0
// tbb::collaborative_call_once over calls that wait: whoever comes meanwhile helps, and the first one spins until all helpers
// are out. A helper may be a task that waits for its children, which libtbb has set aside for one that goes on.
// suspend: suspended >= 500
// auto: suspended >= 500
// park: parked >= 500 and suspended == 0
#include <oneapi/tbb/collaborative_call_once.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>

#include "case.h"

namespace {

std::atomic<int> made{0}, wrong{0};

void made_together(int which) {
  tbb::collaborative_once_flag flag;
  int value = 0;
  tbb::parallel_for(0, 4, [&](int i) {
    tbb::collaborative_call_once(flag, [&] {
      tbb::parallel_for(0, 3, [&](int k) { wait_us(100 + (which * 7 + k * 5) % 11 * 40); });
      value = which + 1;
      ++made;
    });
    if (value != which + 1) ++wrong;
    wait_us(100 + (which + i) % 5 * 60);
  });
}

}  // namespace

int main() {
  constexpr int rounds = 60, groups = 5;
  for (int round = 0; round < rounds; ++round) {
    tbb::task_group tasks;
    for (int i = 0; i < groups; ++i) tasks.run([=] { made_together(round * groups + i); });
    tasks.wait();
  }
  std::printf("%d made, %d wrong\n", made.load(), wrong.load());
}
