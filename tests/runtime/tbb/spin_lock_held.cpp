// SPDX-License-Identifier: Apache-2.0
// A spin lock is inlined and nobody sees it held. What shows is that its program yields: auto parks.
// auto: suspended == 0 and lane == 'park' and parked >= 30
// park: suspended == 0 and parked >= 30
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/spin_mutex.h>

#include "case.h"

int main() {
  tbb::spin_mutex mutex;
  int inside = 0, violations = 0;
  tbb::parallel_for(0, 60, [&](int) {
    tbb::spin_mutex::scoped_lock lock(mutex);
    if (inside++) ++violations;
    wait_ms(1);
    --inside;
  });
  std::printf("%d violations\n", violations);
}
