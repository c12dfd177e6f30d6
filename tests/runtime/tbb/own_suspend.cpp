// SPDX-License-Identifier: Apache-2.0
// The program's own tbb::task::suspend: what it calls hands the task's point over, and then waits. The task goes on by that point before
// the wait is over.
// auto: suspended >= 20
// suspend: suspended >= 20
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task.h>
#include <unistd.h>

#include <chrono>

#include "case.h"

int main() {
  constexpr int tasks = 400;
  int points[2];
  check(!pipe(points), "a pipe");
  std::thread resumes([&] {
    tbb::task::suspend_point point;
    while (read(points[0], &point, sizeof point) == sizeof point && point) tbb::task::resume(point);
  });
  std::atomic<int> over{0}, early{0};
  tbb::parallel_for(0, tasks, [&](int i) {
    if (i % 10 == 0) usleep(500);  // one of weir's
    tbb::task::suspend([&points, &early](tbb::task::suspend_point point) {
      std::atomic<int>& was_early = early;
      auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
      check(write(points[1], &point, sizeof point) == sizeof point, "a point");
      usleep(1000);
      if (std::chrono::steady_clock::now() < end) ++was_early;
    });
    ++over;
  }, tbb::simple_partitioner());
  tbb::task::suspend_point none = nullptr;
  check(write(points[1], &none, sizeof none) == sizeof none, "the last point");
  resumes.join();
  std::printf("%d over, %d early\n", over.load(), early.load());
}
