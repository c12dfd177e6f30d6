// SPDX-License-Identifier: Apache-2.0
// Calls made with one of oneTBB's locks held, which nobody sees: while one waits others spin for its lock, so such calls come to
// block their threads, as they do without weir. (In turn, since a fair lock goes from one to the next: tasks that were set aside
// while they spin for one would each have to come back in their turn.)
// auto: parked >= 200 and fallbacks.get("lock_held", 0) >= 200
// park: suspended == 0 and parked >= 200
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>

#include "case.h"

namespace {

template <typename Mutex>
void count(const char* which) {
  Mutex mutex;
  int counted = 0;
  const auto task = [&](int) {
    typename Mutex::scoped_lock lock(mutex);
    int before = counted;
    wait_us(300);
    counted = before + 1;
  };
  tbb::parallel_for(0, 100, task, tbb::simple_partitioner());
  std::printf("%s: %d\n", which, counted);
}

}  // namespace

int main() {
  count<tbb::spin_mutex>("spin_mutex");
  count<tbb::queuing_mutex>("queuing_mutex");
  count<tbb::mutex>("mutex");
  count<tbb::queuing_rw_mutex>("queuing_rw_mutex");
}
