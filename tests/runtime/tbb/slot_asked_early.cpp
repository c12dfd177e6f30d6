// SPDX-License-Identifier: Apache-2.0
// A program that once asked for a slot's number keeps its tasks where they are, whatever it loads later: here oneTBB's own
// adapter, which comes with the first algorithm, and a library by dlopen.
// auto: suspended == 0 and parked >= 30 and lane_reason == 'thread_bound'
// park: suspended == 0 and parked >= 30
#include <dlfcn.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>

#include "case.h"

static int waits(int count) {
  std::atomic<int> right{0};
  tbb::task_group group;
  for (int i = 0; i < count; ++i) group.run([&] { right += wait_ms(2); });
  group.wait();
  return right;
}

int main() {
  bool outside = tbb::this_task_arena::current_thread_index() == tbb::task_arena::not_initialized;
  int right = waits(30);
  void* library = dlopen("librt.so.1", RTLD_NOW);  // glibc's; empty since its functions moved to libc
  right += waits(30);
  std::printf("outside %d, loaded %d, %d of 60 right\n", outside, library != nullptr, right);
}
