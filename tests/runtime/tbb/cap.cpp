// SPDX-License-Identifier: Apache-2.0
// More tasks than may be set aside: the rest park, and all is well.
// suspend WEIR_MAX_SUSPENDED=30: suspended >= 30 and fallbacks.get('cap', 0) >= 1 and peak_suspended <= 40
// suspend: suspended >= 200 and peak_suspended >= 100
#include <oneapi/tbb/task_group.h>

#include <atomic>

#include "case.h"

int main() {
  std::atomic<int> done{0};
  tbb::task_group group;
  for (int i = 0; i < 300; ++i)
    group.run([&] {
      if (wait_ms(20)) ++done;
    });
  group.wait();
  std::printf("%d\n", done.load());
}
