// SPDX-License-Identifier: Apache-2.0
// A program without I/O keeps the threads it would have without weir.
// suspend: suspended == 0 and parked == 0
// auto: suspended == 0 and parked == 0
// park: suspended == 0 and parked == 0 and fallbacks.get('gate_timeout', 0) == 0
#include <dirent.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <sched.h>

#include <atomic>

#include "case.h"

namespace {

long fib(int n) {
  if (n < 12) return n < 2 ? n : fib(n - 1) + fib(n - 2);
  long a = 0, b = 0;
  tbb::task_group group;
  group.run([&] { a = fib(n - 1); });
  b = fib(n - 2);
  group.wait();
  return a + b;
}

int threads() {
  int count = -2;  // . and ..
  DIR* folder = opendir("/proc/self/task");
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

}  // namespace

int main() {
  std::atomic<long> sum{0};
  for (int round = 0; round < 20; ++round) tbb::parallel_for(0, 10'000, [&](int i) { sum += i; });
  long value = fib(22);
  cpu_set_t mask;
  sched_getaffinity(0, sizeof mask, &mask);
  // weir has a thread or two of its own.
  check(threads() <= CPU_COUNT(&mask) + 2, "more threads than cores");
  std::printf("%ld %ld\n", sum.load(), value);
}
