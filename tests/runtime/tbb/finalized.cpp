// SPDX-License-Identifier: Apache-2.0
// A program that ends oneTBB and begins anew, as one does before it forks. libtbb tells one worker after the other to end, and
// waits for it; the later ones look for work meanwhile, with a core each, and the first would have to wait for one of those.
// park: suspended == 0 and parked >= 1000
// auto: suspended + parked >= 1000
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include <ctime>
#include <new>

#include "case.h"

int main() {
  std::clock_t spent = 0;  // of processors' time, by those that look for work: it grows less than time itself on a busy machine
  for (int round = 0; round < 8; ++round) {
    tbb::task_scheduler_handle handle{tbb::attach{}};
    std::atomic<int> waited{0};
    tbb::parallel_for(0, 200, [&](int) { waited += wait_ms(2); }, tbb::simple_partitioner());
    const std::clock_t begun = std::clock();
    check(tbb::finalize(handle, std::nothrow), "oneTBB ends");
    spent += std::clock() - begun;
    std::printf("round %d: %d\n", round, waited.load());
  }
  check(spent < 20 * CLOCKS_PER_SEC, "its workers wait for a core to end with");
}
