// SPDX-License-Identifier: Apache-2.0
// In the park lane blocked threads have stand-ins: waits overlap by far more than there are cores.
// park: parked >= 100 and peak_in_flight >= 32
// park WEIR_STAND_INS=8: parked >= 100 and peak_in_flight <= max(8, cores)
// park WEIR_STAND_INS=1: parked >= 100
#include <oneapi/tbb/parallel_for.h>

#include <atomic>

#include "case.h"

int main() {
  std::atomic<int> done{0};
  tbb::parallel_for(0, 200, [&](int) {
    if (wait_ms(10)) ++done;
  });
  std::printf("%d\n", done.load());
}
