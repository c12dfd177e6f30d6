// SPDX-License-Identifier: Apache-2.0
// Calls of a thread that is in no task: weir looks, and lets them pass.
#include <benchmark/benchmark.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hot_file.h"

namespace {

void pread_hot(benchmark::State& state) {
  const HotFile file;
  char buffer[4096];
  for (auto _ : state) benchmark::DoNotOptimize(pread(file.fd(), buffer, sizeof buffer, 8192));
}
BENCHMARK(pread_hot);

// The same call by a way that nobody can stand in: what of a difference is noise.
void pread_by_number(benchmark::State& state) {
  const HotFile file;
  char buffer[4096];
  for (auto _ : state) benchmark::DoNotOptimize(syscall(SYS_pread64, file.fd(), buffer, sizeof buffer, 8192));
}
BENCHMARK(pread_by_number);

void eventfd_write_read(benchmark::State& state) {
  const int fd = eventfd(0, 0);
  std::uint64_t one = 1, got = 0;
  for (auto _ : state) {
    if (write(fd, &one, sizeof one) != sizeof one || read(fd, &got, sizeof got) != sizeof got) {
      state.SkipWithError("eventfd");
    }
  }
  close(fd);
}
BENCHMARK(eventfd_write_read);

void mutex_lock_unlock(benchmark::State& state) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  for (auto _ : state) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
}
BENCHMARK(mutex_lock_unlock);

}  // namespace
