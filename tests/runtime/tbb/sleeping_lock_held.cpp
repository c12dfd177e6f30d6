// SPDX-License-Identifier: Apache-2.0
// Who waits for a tbb::mutex, or at a bounded queue, sleeps in libtbb; what it waits for is a task's that was set aside.
// auto: suspended + parked >= 200 and lane == 'suspend'
// suspend: suspended >= 200
// park: suspended == 0 and parked >= 200
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/task_group.h>

#include "case.h"

namespace {

template <typename Mutex>
int violations_of() {
  Mutex mutex;
  int inside = 0, violations = 0;
  tbb::task_group group;
  for (int i = 0; i < 60; ++i)
    group.run([&] {
      typename Mutex::scoped_lock lock(mutex);
      if (inside++) ++violations;
      wait_ms(1);
      --inside;
    });
  group.wait();
  return violations;
}

// The one item there may be is in the queue while its task waits.
int sum_through_queue() {
  tbb::concurrent_bounded_queue<int> queue;
  queue.set_capacity(1);
  std::atomic<int> sum{0};
  tbb::task_group group;
  for (int i = 0; i < 100; ++i)
    group.run([&, i] {
      queue.push(i);
      wait_ms(1);
      int got = -1;
      queue.pop(got);
      sum += got;
    });
  group.wait();
  return sum;
}

}  // namespace

int main() {
  std::printf("%d violations\n", violations_of<tbb::mutex>() + violations_of<tbb::rw_mutex>());
  std::printf("sum %d\n", sum_through_queue());
}
