// SPDX-License-Identifier: Apache-2.0
// Tasks that hold a lock while they read what another writes: a task that was set aside on the same thread, or a thread of the program's
// after a while. Others want the lock meanwhile, with one of their own held. Knows nothing of weir.
// Argument: how often.
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

namespace {

struct OmpLock {
  OmpLock() { omp_init_lock(&lock_); }
  ~OmpLock() { omp_destroy_lock(&lock_); }
  OmpLock(const OmpLock&) = delete;
  OmpLock& operator=(const OmpLock&) = delete;
  void lock() { omp_set_lock(&lock_); }
  void unlock() { omp_unset_lock(&lock_); }

 private:
  omp_lock_t lock_;
};

struct NestLock {
  NestLock() { omp_init_nest_lock(&lock_); }
  ~NestLock() { omp_destroy_nest_lock(&lock_); }
  NestLock(const NestLock&) = delete;
  NestLock& operator=(const NestLock&) = delete;
  void lock() { omp_set_nest_lock(&lock_); }
  void unlock() { omp_unset_nest_lock(&lock_); }

 private:
  omp_nest_lock_t lock_;
};

// Two locks of each kind, as many as there are readers, and what they guard.
template <typename Lock>
struct Guarded {
  Lock lock;
  bool inside = false;
  long sum = 0;

  void comes() {
    if (inside) std::printf("two are inside\n");
    inside = true;
  }
  void goes() { inside = false; }
};

// What has come by the pipe, read with the lock held.
template <typename Lock>
void read_one(Guarded<Lock>& guarded, int from) {
  std::lock_guard<Lock> held(guarded.lock);
  guarded.comes();
  const pthread_t before = pthread_self();
  char c = 0;
  if (read(from, &c, 1) != 1) std::printf("nothing was read\n");
  if (!pthread_equal(before, pthread_self())) std::printf("on another thread, with a lock of the first's\n");
  guarded.sum += c;
  guarded.goes();
}

template <typename Lock>
void ask(Guarded<Lock>& own, Guarded<Lock>& guarded) {
  std::lock_guard<Lock> first(own.lock), second(guarded.lock);
  guarded.comes();
  guarded.sum += 1000;
  guarded.goes();
}

enum class Feeder { task, thread };

void feed(int to, int bytes) {
  for (int i = 0; i < bytes; ++i)
    if (write(to, "a", 1) != 1) std::printf("nothing was written\n");
}

void compute_for(double seconds) {
  const double end = omp_get_wtime() + seconds;
  while (omp_get_wtime() < end) {
  }
}

// With an idle thread, it may come to take what is ready elsewhere; without, those who want the lock begin where it is held.
template <typename Lock>
void round(Feeder feeder, int idle, long* sum) {
  int ends[2];
  if (pipe(ends)) std::abort();
  const int threads = omp_get_max_threads(), readers = threads - idle, askers = 2 * threads;
  const auto guarded = std::make_unique<Guarded<Lock>[]>(static_cast<std::size_t>(threads));
  const auto own = std::make_unique<Guarded<Lock>[]>(static_cast<std::size_t>(askers));
  std::thread thread;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task firstprivate(feeder, readers)
    {
      usleep(2000);
      if (feeder == Feeder::task) feed(ends[1], readers);
    }
    for (int i = 0; i < 2 * threads; ++i) {
#pragma omp task
      {
        usleep(2000);
        compute_for(0.005);
      }
    }
    usleep(1000);
    if (feeder == Feeder::thread)
      thread = std::thread([&] {
        usleep(300'000);
        feed(ends[1], readers);
      });
    for (int i = 0; i < readers; ++i) {
#pragma omp task untied firstprivate(i) shared(guarded)
      read_one(guarded[static_cast<std::size_t>(i)], ends[0]);
    }
    for (int i = 0; i < askers; ++i) {
#pragma omp task firstprivate(i, threads) shared(guarded, own)
      ask(own[static_cast<std::size_t>(i)], guarded[static_cast<std::size_t>(i % threads)]);
    }
  }
  if (thread.joinable()) thread.join();
  for (int i = 0; i < threads; ++i) *sum += guarded[static_cast<std::size_t>(i)].sum;
  close(ends[0]);
  close(ends[1]);
}

template <typename Lock>
void rounds(const char* name, Feeder feeder, int idle, int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) round<Lock>(feeder, idle, &sum);
  std::printf("%s %ld\n", name, sum);
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 1;
  rounds<OmpLock>("omp_lock_t", Feeder::task, 0, count);
  rounds<std::mutex>("mutex", Feeder::task, 0, count);
  rounds<std::mutex>("mutex", Feeder::thread, 1, count);
  rounds<NestLock>("omp_nest_lock_t", Feeder::thread, 0, count);
  rounds<std::recursive_mutex>("recursive mutex", Feeder::thread, 0, count);
  return 0;
}
