// SPDX-License-Identifier: Apache-2.0
// A task forks while others wait: the child can do I/O and ends, the parent goes on.
// suspend: suspended >= 20
// auto: suspended >= 20
// park: parked >= 2
#include <oneapi/tbb/task_group.h>
#include <sys/wait.h>

#include <atomic>

#include "case.h"

int main() {
  std::atomic<int> done{0}, children{0};
  tbb::task_group group;
  for (int i = 0; i < 60; ++i)
    group.run([&, i] {
      if (i % 10 == 5) {
        pid_t child = fork();
        if (child == 0) _exit(wait_ms(2) ? 7 : 1);
        int status = 0;
        if (waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7) ++children;
      }
      if (wait_ms(5)) ++done;
    });
  group.wait();
  std::printf("%d waits, %d children\n", done.load(), children.load());
}
