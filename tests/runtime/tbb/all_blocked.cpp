// SPDX-License-Identifier: Apache-2.0
// A program that has two threads, for it says so, and both block, as only a thread can wait, for what a task that is set aside will
// do: with a mutex held, in another arena, and keeping the address of errno.
// auto WEIR_WATCHDOG_MS=20: suspended >= 1
// suspend WEIR_WATCHDOG_MS=20: suspended >= 1
#include "all_blocked.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

namespace {

constexpr int readers = 5;

[[gnu::noinline]] bool read_keeping_errno(int fd) {
  int* place = &errno;
  *place = 0;
  bool got = read_one(fd);
  return got && *place == 0;
}

}  // namespace

int main() {
  tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
  all_read("with a lock", readers, read_with_a_lock);
  tbb::task_arena other(2);
  all_read("in another arena", readers, [&](int fd) { return other.execute([=] { return read_one(fd); }); });
  all_read("keeping errno", readers, read_keeping_errno);
}
