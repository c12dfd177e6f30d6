// SPDX-License-Identifier: Apache-2.0
// addresses FILE: tasks and a loop that wait for a timer and a device, and then three quarters of all the memory that the process may map, as a
// program has it whose limit was set to what it needs. By OpenMP or, compiled without it, by oneTBB.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>
#ifndef _OPENMP
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
#endif

namespace {

constexpr int tasks = 1500, blocks = 2048, block = 4096;

#ifdef _OPENMP
void run_tasks(const std::function<void(int)>& body) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; ++i) {
#pragma omp task firstprivate(i)
    body(i);
  }
}

void run_loop(const std::function<void(int)>& body) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < tasks; ++i) body(i);
}
#else
void run_tasks(const std::function<void(int)>& body) {
  tbb::task_group group;
  for (int i = 0; i < tasks; ++i) group.run([&body, i] { body(i); });
  group.wait();
}

void run_loop(const std::function<void(int)>& body) { tbb::parallel_for(0, tasks, body); }
#endif

bool make(const char* name) {
  const int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  std::vector<unsigned char> bytes(block);
  for (int i = 0; i < blocks; ++i) {
    std::memset(bytes.data(), i, block);
    if (write(file, bytes.data(), block) != block) return false;
  }
  return fsync(file) == 0 && close(file) == 0;
}

}  // namespace

int main(int, char** argv) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY || !make(argv[1])) return 2;
  const int file = open(argv[1], O_RDONLY | O_DIRECT);
  if (file < 0) return 77;
  std::atomic<long> sum{0}, failed{0};
  const auto read_one = [&](int i) {
    void* buffer = nullptr;
    if (posix_memalign(&buffer, block, block)) return void(++failed);
    const int at = i * 7919 % blocks;
    if (pread(file, buffer, block, static_cast<off_t>(at) * block) != block) ++failed;
    sum += static_cast<unsigned char*>(buffer)[i % block];
    std::free(buffer);
  };
  run_tasks([](int) { usleep(5000); });  // hundreds are aside at once, however fast the device is
  run_tasks(read_one);
  run_loop(read_one);
  const std::size_t large = limit.rlim_cur / 4 * 3;
  char* volatile memory = static_cast<char*>(std::malloc(large));  // else a compiler may leave it out
  if (memory) memory[large / 2] = 1;
  std::printf("%ld read, %ld failed, three quarters of the limit: %s\n", sum.load(), failed.load(), memory ? "there" : "none");
  return 0;
}
