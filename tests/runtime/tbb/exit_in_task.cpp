// SPDX-License-Identifier: Apache-2.0
// A task ends the program, after a wait and with other tasks aside: on whatever thread it came back.
// suspend: suspended >= 1
// park: parked >= 1
#include <oneapi/tbb/task_group.h>
#include <sys/wait.h>

#include "case.h"

namespace {

// One that waits is still in the task.
struct Waits {
  bool does = false;
  ~Waits() {
    if (does) wait_ms(10);
  }
} at_the_end;

void end_in_task() {
  at_the_end.does = true;
  tbb::task_group sleepers, last;
  for (int i = 0; i < 100; ++i) sleepers.run([] { wait_ms(10); });
  last.run_and_wait([] {
    wait_ms(2);
    std::exit(3);
  });
}

// Waits, in a task, for a child that is this program again: a task of its main thread ends it.
bool ends_well(const char* self) {
  pid_t child = fork();
  if (!child) {
    execl(self, self, "child", nullptr);
    std::_Exit(1);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3;
}

}  // namespace

int main(int count, char**) {
  if (count > 1) end_in_task();
  int well = 0;
  for (int i = 0; i < 12; ++i) well += ends_well("/proc/self/exe");
  tbb::task_group group;
  group.run([] { wait_ms(10); });
  group.wait();
  std::printf("%d ended well\n", well);
}
