// SPDX-License-Identifier: Apache-2.0
// Two threads that the program allows compute for long while other tasks are ready: no third one comes for those.
// suspend WEIR_WATCHDOG_MS=20: suspended >= 8
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

#include <chrono>

#include "case.h"

namespace {

constexpr int allowed = 2;
std::atomic<int> within{0}, too_many{0};

void compute_ms(int ms) {
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  while (std::chrono::steady_clock::now() < end) compute(1000);
}

}  // namespace

int main() {
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, allowed);
  tbb::task_group group;
  for (int i = 0; i < 8; ++i)
    group.run([] {
      check(wait_ms(1), "a wait");
      if (++within > allowed) ++too_many;
      compute_ms(100);
      --within;
    });
  group.wait();
  std::printf("%d too many\n", too_many.load());
}
