// SPDX-License-Identifier: Apache-2.0
// Tasks that sleep, and then queue for a lock that is given to who came first. It is the one that has spun longest that gets it next,
// and the others look seldom: each yield is counted. ("well", or what is not so: run by CMakeLists.txt itself)
#include <oneapi/tbb/parallel_for.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>

int main() {
  constexpr int tasks = 1000;
  std::atomic<int> next{0}, served{0};
  std::atomic<long> yields{0};
  int counted = 0;
  const auto task = [&](int i) {
    usleep(static_cast<useconds_t>(1000 + i * 7919 % 1000));
    for (int mine = next++; served != mine; sched_yield()) ++yields;
    ++counted;
    auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
    while (std::chrono::steady_clock::now() < end) continue;
    ++served;
  };
  tbb::parallel_for(0, tasks, task, tbb::simple_partitioner());
  bool well = counted == tasks && yields < 100 * tasks;
  std::printf("%s: %d tasks, %ld yields\n", well ? "well" : "too many", counted, yields.load());
  return !well;
}
