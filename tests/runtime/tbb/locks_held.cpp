// SPDX-License-Identifier: Apache-2.0
// A lock that is held over a call keeps its task where it is: std::mutex, a recursive mutex, a shared mutex. Set aside,
// the first would hang the program and the second let two tasks in.
// suspend: fallbacks.get('lock_held', 0) >= 50 and suspended >= 1
// auto: fallbacks.get('lock_held', 0) >= 50 or lane == 'park'
// park: parked >= 50 and suspended == 0
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <mutex>
#include <shared_mutex>

#include "case.h"

namespace {

std::atomic<int> inside{0}, violations{0}, done{0};

template <typename Mutex>
void exclusive(Mutex& mutex) {
  std::lock_guard lock(mutex);
  if (inside.fetch_add(1) != 0) ++violations;
  wait_ms(1);
  inside.fetch_sub(1);
  ++done;
}

template <typename Body>
void in_tasks(Body body) {
  tbb::task_group group;
  for (int i = 0; i < 50; ++i)
    group.run([&body, i] {
      wait_ms(1);  // none held
      body(i);
    });
  group.wait();
}

}  // namespace

int main() {
  std::mutex mutex;
  in_tasks([&](int) { exclusive(mutex); });
  std::recursive_mutex recursive;
  in_tasks([&](int) {
    std::lock_guard outer(recursive);
    exclusive(recursive);
  });
  std::shared_mutex shared;
  in_tasks([&](int i) {
    if (i % 2) return exclusive(shared);
    std::shared_lock lock(shared);
    if (inside != 0) ++violations;
    wait_ms(1);
    if (inside != 0) ++violations;
    ++done;
  });
  std::printf("%d done, %d violations\n", done.load(), violations.load());
}
