// SPDX-License-Identifier: Apache-2.0
// Locks and waits by a bare futex, as C++20's are: over a call, and for what another task does.
// auto: suspended + parked >= 100 and not fallbacks.get('watchdog', 0)
// suspend: suspended + parked >= 100
// park: suspended == 0 and parked >= 100
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <latch>
#include <semaphore>

#include "case.h"

namespace {

struct AtomicLock {
  void acquire() {
    while (taken.test_and_set()) taken.wait(true);
  }
  void release() {
    taken.clear();
    taken.notify_one();
  }
  std::atomic_flag taken;
};

template <typename Lock>
void count(const char* which, Lock& lock) {
  int counted = 0;
  const auto task = [&](int) {
    lock.acquire();
    int before = counted;
    wait_us(300);
    counted = before + 1;
    lock.release();
  };
  tbb::parallel_for(0, 100, task, tbb::simple_partitioner());
  std::printf("%s: %d\n", which, counted);
}

// One waits until all others have come back from their calls.
void wait_for_all() {
  std::latch latch(100);
  std::atomic<int> done{0};
  tbb::task_group group;
  for (int i = 0; i < 100; ++i)
    group.run([&] {
      wait_us(300);
      ++done;
      latch.count_down();
    });
  latch.wait();
  std::printf("%d done\n", done.load());
  group.wait();
}

}  // namespace

int main() {
  std::binary_semaphore semaphore(1);
  AtomicLock lock;
  count("semaphore", semaphore);
  count("atomic", lock);
  tbb::parallel_for(0, 1, [](int) { wait_us(100); });
  wait_for_all();
}
