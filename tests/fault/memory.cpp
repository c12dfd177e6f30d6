// SPDX-License-Identifier: Apache-2.0
// memory loop|tasks FILE: each piece of work has 16 MB of its own, fills it with reads that wait a little, and gives it back. By OpenMP or,
// compiled without it, by oneTBB. Bare as many pieces are under way as there are cores.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>
#ifndef _OPENMP
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_group.h>
#endif

namespace {

constexpr int pieces = 150, parts = 16, part = 1 << 20;

template <typename Body>
void run(bool tasks, const Body& body) {
#ifdef _OPENMP
  if (tasks) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < pieces; ++i) {
#pragma omp task firstprivate(i)
      body(i);
    }
  } else {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < pieces; ++i) body(i);
  }
#else
  if (tasks) {
    tbb::task_group group;
    for (int i = 0; i < pieces; ++i) group.run([&body, i] { body(i); });
    group.wait();
  } else {
    tbb::parallel_for(0, pieces, 1, body, tbb::simple_partitioner());
  }
#endif
}

bool make(const char* name) {
  const int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  std::vector<unsigned char> bytes(part);
  for (int i = 0; i < parts; ++i) {
    std::memset(bytes.data(), i + 1, bytes.size());
    if (write(file, bytes.data(), bytes.size()) != part) return false;
  }
  return close(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || !make(argv[2])) return 2;
  const int file = open(argv[2], O_RDONLY);
  std::atomic<long> sum{0}, failed{0};
  run(!std::strcmp(argv[1], "tasks"), [&](int) {
    auto* mine = static_cast<unsigned char*>(std::malloc(static_cast<std::size_t>(parts) * part));
    if (!mine) return void(++failed);
    for (int i = 0; i < parts; ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(500));
      if (pread(file, mine + i * part, part, i * part) != part) ++failed;
    }
    long here = 0;
    for (int i = 0; i < parts * part; i += 4096) here += mine[i];
    std::free(mine);
    sum += here;
  });
  std::printf("sum %ld failed %ld\n", sum.load(), failed.load());
  return 0;
}
