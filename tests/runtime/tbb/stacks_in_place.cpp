// SPDX-License-Identifier: Apache-2.0
// Where the process may map little more, libtbb maps some of its coroutines' stacks itself; here in the place of a thread's that has ended.
// suspend: suspended >= 100
#include <oneapi/tbb/task_group.h>
#include <pthread.h>
#include <sys/resource.h>

#include <atomic>

#include "case.h"

namespace {

int all_wait(int count) {
  std::atomic<int> done{0};
  tbb::task_group group;
  for (int i = 0; i < count; ++i)
    group.run([&] {
      if (wait_ms(20)) ++done;
    });
  group.wait();
  return done;
}

// Its stack is larger than what libc keeps of those that are over.
int on_a_thread_that_ends() {
  constexpr std::size_t stack = 128 << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack);
  pthread_t thread;
  void* done = nullptr;
  auto body = [](void*) { return reinterpret_cast<void*>(static_cast<std::intptr_t>(all_wait(4))); };
  if (pthread_create(&thread, &attributes, body, nullptr) || pthread_join(thread, &done)) std::abort();
  pthread_attr_destroy(&attributes);
  return static_cast<int>(reinterpret_cast<std::intptr_t>(done));
}

rlim_t mapped() {
  unsigned long pages = 0;
  FILE* sizes = std::fopen("/proc/self/statm", "r");
  if (!sizes || std::fscanf(sizes, "%lu", &pages) != 1) std::abort();
  std::fclose(sizes);
  return pages * 4096;
}

}  // namespace

int main() {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = mapped() + (rlim_t{1} << 30);
  if (setrlimit(RLIMIT_AS, &limit)) std::abort();
  std::printf("%d", on_a_thread_that_ends());
  std::printf(" %d\n", all_wait(300));
}
