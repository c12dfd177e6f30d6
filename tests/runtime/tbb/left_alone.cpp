// SPDX-License-Identifier: Apache-2.0
// More tasks set aside than libtbb counts, and the program's thread leaves libtbb: the tasks go on without it.
// suspend: suspended >= 4200 and peak_suspended >= 4200
#include <oneapi/tbb/task_group.h>
#include <sys/eventfd.h>
#include <time.h>

#include <atomic>

#include "case.h"

int main() {
  constexpr int tasks = 4500;
  int event = eventfd(0, EFD_SEMAPHORE);
  std::atomic<int> begun{0}, done{0};
  tbb::task_group waiting, other;
  for (int i = 0; i < tasks; ++i)
    waiting.run([&] {
      ++begun;
      std::uint64_t one = 0;
      check(read(event, &one, sizeof one) == sizeof one && one == 1, "read");
      ++done;
    });
  other.run_and_wait([&] {  // while this waits, its thread takes others: bare just those there are threads for
    int before = -1;
    for (int same = 0; begun < tasks && same < 15; same = begun == before ? same + 1 : 0) {
      before = begun;
      check(wait_ms(20), "wait");
    }
  });
  check(wait_ms(200), "wait");  // the worker finds nothing to do, and leaves too
  std::uint64_t all = tasks;
  check(write(event, &all, sizeof all) == sizeof all, "write");
  for (int i = 0; i < 2000 && done < tasks; ++i) wait_ms(5);
  std::printf("%s\n", done == tasks ? "all" : "some were left");
  std::fflush(stdout);
  waiting.wait();
}
