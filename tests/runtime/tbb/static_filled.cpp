// SPDX-License-Identifier: Apache-2.0
// A function's static whose initializer waits, reached by several tasks at once: set aside, the one that fills it would
// let the next one on its thread wait for it for ever.
// suspend: fallbacks.get('lock_held', 0) >= 4 and suspended >= 1
// auto: fallbacks.get('lock_held', 0) >= 4 or lane == 'park'
// park: parked >= 4 and suspended == 0
#include <oneapi/tbb/task_group.h>

#include <atomic>

#include "case.h"

namespace {

struct Slow {
  Slow() { wait_ms(5); }
  int value = 7;
};

template <int Which>
int slow_static() {
  static Slow slow;
  return slow.value;
}

template <int Which>
long in_tasks() {
  std::atomic<long> sum{0};
  tbb::task_group group;
  for (int i = 0; i < 8; ++i)
    group.run([&sum] {
      wait_ms(1);
      sum += slow_static<Which>();
    });
  group.wait();
  return sum;
}

}  // namespace

int main() { std::printf("%ld %ld %ld %ld\n", in_tasks<0>(), in_tasks<1>(), in_tasks<2>(), in_tasks<3>()); }
