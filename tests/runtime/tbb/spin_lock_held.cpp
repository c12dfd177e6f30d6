// SPDX-License-Identifier: Apache-2.0
// A spin lock is inlined and nobody sees it held. Whoever spins for it yields, and makes way for the task that holds it,
// which was set aside.
// auto: suspended + parked >= 300 and lane == 'suspend'
// suspend: suspended >= 300
// park: suspended == 0 and parked >= 300
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>
#include <oneapi/tbb/task_group.h>
#include <sched.h>

#include <atomic>

#include "case.h"

namespace {

int violations = 0;
std::atomic<int> readers{0};

template <typename Mutex>
void exclusive() {
  Mutex mutex;
  int inside = 0;
  tbb::parallel_for(0, 60, [&](int) {
    typename Mutex::scoped_lock lock(mutex);
    if (inside++) ++violations;
    wait_ms(1);
    --inside;
  });
}

void shared() {
  tbb::spin_rw_mutex mutex;
  int inside = 0;
  tbb::parallel_for(0, 60, [&](int i) {
    bool writes = i % 3 == 0;
    tbb::spin_rw_mutex::scoped_lock lock(mutex, writes);
    if (writes ? inside++ || readers : inside) ++violations;
    if (!writes) ++readers;
    wait_ms(1);
    writes ? --inside : --readers;
  });
}

struct Lock {
  void lock() {
    while (taken.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  void unlock() { taken.store(false, std::memory_order_release); }
  std::atomic<bool> taken{false};
};

// All at once in one thread's queue, two locks held, one within the other.
void by_hand() {
  Lock outer, inner;
  int inside = 0;
  tbb::task_group group;
  for (int i = 0; i < 120; ++i)
    group.run([&, i] {
      if (i % 2) outer.lock();
      inner.lock();
      if (inside++) ++violations;
      wait_ms(1);
      --inside;
      inner.unlock();
      if (i % 2) wait_ms(1), outer.unlock();
    });
  group.wait();
}

}  // namespace

int main() {
  exclusive<tbb::spin_mutex>();
  exclusive<tbb::queuing_mutex>();
  shared();
  by_hand();
  std::printf("%d violations\n", violations);
}
