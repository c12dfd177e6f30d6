// SPDX-License-Identifier: Apache-2.0
// As all_blocked, beside a thread of the program's that has no part in oneTBB and computes until all is over.
// auto WEIR_WATCHDOG_MS=20: parked > 0
// suspend WEIR_WATCHDOG_MS=20: suspended >= 1
#include "all_blocked.h"

#include <oneapi/tbb/global_control.h>

int main() {
  tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
  std::atomic<bool> over{false};
  std::thread beside([&] {
    while (!over) compute(1000);
  });
  for (int round = 0; round < 2; ++round) all_read("with a lock", 5, read_with_a_lock);
  over = true;
  beside.join();
}
