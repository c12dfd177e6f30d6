// SPDX-License-Identifier: Apache-2.0
// A task waits for a future of weir's, and others spin, yielding, for what it does then, on all threads that there may be.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "weir/future.hpp"

int main() {
  constexpr int spinning = 3;
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, 3);
  tbb::task_arena arena(2, 0);
  weir::promise<int> promise;
  auto future = promise.get_future();
  std::thread other([&] {
    usleep(100'000);
    promise.set_value(1);
  });
  std::atomic<int> over{0};
  std::atomic<bool> is_there{false};
  arena.enqueue([&] {
    future.get();
    is_there = true;
    ++over;
  });
  usleep(30'000);
  for (int i = 0; i < spinning; ++i) {
    arena.enqueue([&] {
      while (!is_there) std::this_thread::yield();
      ++over;
    });
  }
  while (over <= spinning) usleep(1000);
  other.join();
  std::puts("well");
}
