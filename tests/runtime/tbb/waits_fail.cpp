// SPDX-License-Identifier: Apache-2.0
// Waits for what only a thread can wait for, that end with an error: it stands in errno where the task goes on, also on another thread.
// suspend WEIR_DEBUG=suspend-always: suspended >= 200 and parked >= 400
// suspend WEIR_DEBUG=suspend-always,shuffle: suspended >= 200 and parked >= 400
// park: parked >= 600
#include <oneapi/tbb/task_group.h>
#include <semaphore.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <ctime>

#include "case.h"

namespace {

constexpr int tasks = 200;
constexpr long ms = 1'000'000, second = 1'000 * ms;

// No address of errno is kept over a wait.
[[gnu::noinline]] bool failed_with(int error, int value) { return value == -1 && errno == error; }

[[gnu::noinline]] bool waits_for_semaphore() {
  sem_t never;
  sem_init(&never, 0, 0);
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 2 * ms;
  until.tv_sec += until.tv_nsec / second;
  until.tv_nsec %= second;
  return failed_with(ETIMEDOUT, sem_timedwait(&never, &until));
}

[[gnu::noinline]] bool waits_for_semaphore_of_system(int never) {
  sembuf take{0, -1, 0};
  const timespec longest{0, 2 * ms};
  return failed_with(EAGAIN, semtimedop(never, &take, 1, &longest));
}

}  // namespace

int main() {
  int never = semget(IPC_PRIVATE, 1, 0600);
  std::atomic<int> wrong{0};
  tbb::task_group group;
  for (int i = 0; i < tasks; ++i) {
    group.run([&wrong, never, i] {
      usleep(100 * (i % 7));
      if (!waits_for_semaphore()) ++wrong;
      usleep(100 * (i % 5));
      if (!waits_for_semaphore_of_system(never)) ++wrong;
    });
  }
  group.wait();
  semctl(never, 0, IPC_RMID);
  std::printf("%d of %d wrong\n", wrong.load(), 2 * tasks);
}
