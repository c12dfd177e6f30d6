// SPDX-License-Identifier: Apache-2.0
// Calls inside a task that need not wait: weir's fast try serves them.
#include <benchmark/benchmark.h>
#include <tbb/task_group.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "hot_file.h"

namespace {

void reads(benchmark::State& state, int fd) {
  char buffer[4096];
  for (auto _ : state) benchmark::DoNotOptimize(pread(fd, buffer, sizeof buffer, 8192));
}

void pread_hot_in_tbb_task(benchmark::State& state) {
  const HotFile file;
  tbb::task_group group;
  group.run([&] { reads(state, file.fd()); });
  group.wait();
}
BENCHMARK(pread_hot_in_tbb_task)->UseRealTime();

void pread_hot_in_openmp_task(benchmark::State& state) {
  const HotFile file;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task shared(state, file)
  reads(state, file.fd());
}
BENCHMARK(pread_hot_in_openmp_task)->UseRealTime();

void pread_hot_in_openmp_loop(benchmark::State& state) {
  const HotFile file;
#pragma omp parallel for num_threads(2) schedule(static, 1)
  for (int thread = 0; thread < 2; ++thread) {
    if (thread == 0) reads(state, file.fd());
  }
}
BENCHMARK(pread_hot_in_openmp_loop)->UseRealTime();

// One read after the other, to the end and from the begin again.
void read_hot_in_openmp_loop(benchmark::State& state) {
  char name[] = "/var/tmp/weir-micro-XXXXXX";
  const int fd = mkstemp(name);
  unlink(name);
  char buffer[4096] = {};
  for (int i = 0; i < 1024; ++i) {
    if (write(fd, buffer, sizeof buffer) < 0) std::perror("write");
  }
  lseek(fd, 0, SEEK_SET);
#pragma omp parallel for num_threads(2) schedule(static, 1)
  for (int thread = 0; thread < 2; ++thread) {
    if (thread != 0) continue;
    for (auto _ : state) {
      if (read(fd, buffer, sizeof buffer) <= 0) lseek(fd, 0, SEEK_SET);
      benchmark::DoNotOptimize(buffer);
    }
  }
  close(fd);
}
BENCHMARK(read_hot_in_openmp_loop)->UseRealTime();

}  // namespace
