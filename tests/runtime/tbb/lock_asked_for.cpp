// SPDX-License-Identifier: Apache-2.0
// A program that asks for more threads than cores, and holds a lock that nobody sees over a call now and then: all others spin for
// it meanwhile, and have the cores. Who comes back from that call has one of theirs at once.
// park: suspended == 0 and parked >= 20
// auto: suspended + parked >= 20
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/spin_mutex.h>

#include <ctime>

#include "case.h"

namespace {

template <typename Mutex>
void count(const char* which) {
  Mutex mutex;
  int counted = 0;
  const std::clock_t begun = std::clock();  // processors' time: others compute here too
  const auto task = [&](int i) {
    typename Mutex::scoped_lock lock(mutex);
    int before = counted;
    if (i % 8 == 0) wait_ms(2);
    counted = before + 1;
  };
  tbb::parallel_for(0, 160, task, tbb::simple_partitioner());
  check(std::clock() - begun < 3 * CLOCKS_PER_SEC, "who holds the lock waits for a core");
  std::printf("%s: %d\n", which, counted);
}

}  // namespace

int main() {
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, 8 * std::thread::hardware_concurrency());
  count<tbb::spin_mutex>("spin_mutex");
  count<tbb::queuing_mutex>("queuing_mutex");
}
