// SPDX-License-Identifier: Apache-2.0
// In the park lane there are stand-ins in an arena of the program's own too, whose size it leaves to libtbb.
// park: parked >= 100 and peak_in_flight >= 32
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "case.h"

int main() {
  std::atomic<int> done{0};
  tbb::task_arena arena;
  arena.execute([&] {
    const auto wait = [&](int) {
      if (wait_ms(10)) ++done;
    };
    tbb::parallel_for(0, 200, wait, tbb::simple_partitioner());
  });
  std::printf("%d\n", done.load());
}
