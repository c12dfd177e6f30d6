// SPDX-License-Identifier: Apache-2.0
// In an arena that has no room for another thread, tasks hold a lock while they read what a task is to write that was set aside. Others
// want the lock meanwhile, with one of their own held.
// auto WEIR_WATCHDOG_MS=20: suspended >= 1 and fallbacks.get("lock_held", 0) >= 1
// suspend WEIR_WATCHDOG_MS=20: suspended >= 1 and fallbacks.get("lock_held", 0) >= 1
// park: suspended == 0 and parked >= 30
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <mutex>

#include "case.h"

namespace {

constexpr int readers = 2, askers = 4;

struct Guarded {
  std::mutex mutex;
  bool inside = false;
  long sum = 0;

  void add(long more) {
    check(!inside, "one comes in");
    inside = true;
    sum += more;
    inside = false;
  }
};

long round() {
  int ends[2];
  check(pipe(ends) == 0, "a pipe");
  Guarded guarded[readers];
  std::mutex own[askers];
  tbb::task_group group;
  group.run([&] {
    usleep(2000);
    check(write(ends[1], "ab", readers) == readers, "written");
  });
  usleep(1000);
  for (Guarded& g : guarded) {
    group.run([&] {
      std::lock_guard<std::mutex> held(g.mutex);
      char c = 0;
      check(read(ends[0], &c, 1) == 1, "read");
      g.add(c);
    });
  }
  for (int i = 0; i < askers; ++i) {
    group.run([&, i] {
      std::lock_guard<std::mutex> first(own[i]);
      Guarded& g = guarded[i % readers];
      std::lock_guard<std::mutex> second(g.mutex);
      g.add(1000);
    });
  }
  group.wait();
  close(ends[0]);
  close(ends[1]);
  return guarded[0].sum + guarded[1].sum;
}

}  // namespace

int main() {
  long sum = 0;
  tbb::task_arena arena(readers);
  arena.execute([&] {
    for (int i = 0; i < 40; ++i) sum += round();
  });
  std::printf("%ld\n", sum);
}
