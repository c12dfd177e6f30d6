// SPDX-License-Identifier: Apache-2.0
// A semaphore, a condition, or a file's lock guards what tasks do with a call that waits, and the program says how many threads there are:
// all of them may come to wait for one that is set aside.
// auto: suspended >= 1
// suspend: suspended >= 1
#include <fcntl.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <semaphore.h>
#include <sys/file.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>

#include "case.h"

namespace {

std::atomic<int> within{0}, wrong{0};

void work() {
  if (++within != 1) ++wrong;
  usleep(500);
  --within;
}

template <typename Task>
void run(const char* which, int tasks, Task task) {
  std::atomic<int> over{0};
  tbb::parallel_for(0, tasks, [&](int) { task(), ++over; }, tbb::simple_partitioner());
  std::printf("%s: %d over, %d wrong\n", which, over.load(), wrong.load());
}

}  // namespace

int main() {
  tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
  sem_t semaphore;
  sem_init(&semaphore, 0, 1);
  run("semaphore", 40, [&] { sem_wait(&semaphore), work(), sem_post(&semaphore); });

  std::mutex mutex;
  std::condition_variable is_free;
  bool held = false;
  run("condition", 10, [&] {
    {
      std::unique_lock lock(mutex);
      is_free.wait(lock, [&] { return !held; });
      held = true;
    }
    work();
    {
      std::lock_guard lock(mutex);
      held = false;
    }
    is_free.notify_one();
  });

  char name[] = "/tmp/weir-guarded-XXXXXX";
  int file = mkstemp(name);
  check(file >= 0, "a file");
  run("file", 40, [&] {
    int own = open(name, O_RDWR);
    check(own >= 0 && !flock(own, LOCK_EX), "a lock");
    work();
    close(own);
  });
  unlink(name);
}
