// SPDX-License-Identifier: Apache-2.0
// Tasks that wait by a bare futex, as C++20's semaphores and atomics do: for a lock that is held over a call, and for what
// another task does after one. Knows nothing of weir. Argument: how often.
#include <time.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <semaphore>

namespace {

void block(long us) {
  timespec t = {0, us * 1000};
  nanosleep(&t, nullptr);
}

struct AtomicLock {
  void acquire() {
    while (taken.test_and_set()) taken.wait(true);
  }
  void release() {
    taken.clear();
    taken.notify_one();
  }
  std::atomic_flag taken;
};

template <typename Lock>
long counted_under(Lock& lock) {
  long counted = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 60; ++i) {
#pragma omp task shared(lock, counted)
    {
      lock.acquire();
      long before = counted;
      block(200);
      counted = before + 1;
      lock.release();
    }
  }
  return counted;
}

// The one that was created first tells the other, after calls.
long told() {
  std::atomic<int> steps[20] = {};
  std::atomic<long> right{0};
#pragma omp parallel
#pragma omp single
  for (auto& step : steps) {
#pragma omp task shared(step)
    {
      for (int i = 1; i <= 3; ++i) {
        block(200);
        step = i;
        step.notify_all();
      }
    }
#pragma omp task shared(step, right)
    {
      for (int now; (now = step) < 3;) step.wait(now);
      ++right;
    }
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
  std::binary_semaphore semaphore(1);
  AtomicLock lock;
  for (int round = 0; round < rounds; ++round) {
    std::printf("%ld %ld %ld\n", counted_under(semaphore), counted_under(lock), told());
  }
}
