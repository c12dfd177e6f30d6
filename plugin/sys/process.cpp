// SPDX-License-Identifier: Apache-2.0
#include "sys/process.h"

#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>

#include <cerrno>
#include <cstdlib>

#include "base/thread.h"
#include "sys/loader.h"
#include "sys/raw.h"
#include "sys/threads.h"

namespace weir::sys {
namespace {

struct Start {
  void (*body)(void*);
  void* argument;
  char name[16];
  bool ours;
};

void leave(void* own) { strike_off(*static_cast<OwnThread*>(own)); }

void* run_thread(void* start_) {
  Start start = *static_cast<Start*>(start_);
  std::free(start_);
  OwnThread own;
  own.tid = thread_id();
  enlist(own);
  raw(SYS_prctl, 15 /* PR_SET_NAME */, word(start.name));
  if (start.ours) base::self().engine_depth = 1;  // for good: nothing this thread does is the program's
  pthread_cleanup_push(leave, &own);  // what it runs may end it
  start.body(start.argument);
  pthread_cleanup_pop(1);
  return nullptr;
}

}  // namespace

std::int32_t process_id() { return static_cast<std::int32_t>(raw(SYS_getpid)); }
std::int32_t known_thread_id() {
  base::Thread& thread = base::self();
  if (!thread.tid) thread.tid = thread_id();
  return thread.tid;
}
void yield() { raw(SYS_sched_yield); }
std::int32_t thread_id() { return static_cast<std::int32_t>(raw(SYS_gettid)); }

int usable_cores() {
  unsigned long mask[128] = {};
  Result bytes = raw(SYS_sched_getaffinity, 0, sizeof mask, word(mask));
  int cores = 0;
  for (Result i = 0; i < bytes / static_cast<Result>(sizeof *mask); ++i) cores += __builtin_popcountl(mask[i]);
  return cores ? cores : 1;
}

bool is_readable(const void* byte) {
  char copy;
  iovec to{&copy, 1}, from{const_cast<void*>(byte), 1};
  return raw(SYS_process_vm_readv, process_id(), word(&to), 1, word(&from), 1) == 1;
}

bool may_be_read(const void* eight) {
  constexpr int no_way = -1;  // of changing the mask: refused, after the set was read
  return raw(SYS_rt_sigprocmask, no_way, word(eight), 0, 8) != -EFAULT;
}

namespace {

std::int64_t cpu_ns(clockid_t clock) {
  timespec t{};
  raw(SYS_clock_gettime, clock, word(&t));
  return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

}  // namespace

std::int64_t process_cpu_ns() { return cpu_ns(CLOCK_PROCESS_CPUTIME_ID); }
std::int64_t thread_cpu_ns() { return cpu_ns(CLOCK_THREAD_CPUTIME_ID); }

std::int64_t thread_sleeps() {
  rusage used{};
  raw(SYS_getrusage, RUSAGE_THREAD, word(&used));
  return used.ru_nvcsw;
}

namespace {

// libc takes the memory of all thread-local variables of the program and its libraries from each thread's stack.
std::size_t thread_local_bytes() {
  std::size_t bytes = 0;
  each_object(
      [](dl_phdr_info* object, std::size_t, void* sum) {
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = object->dlpi_phdr[i];
          if (part.p_type == PT_TLS) *static_cast<std::size_t*>(sum) += part.p_memsz + part.p_align;
        }
        return 0;
      },
      &bytes);
  return bytes;
}

int start_detached(void (*body)(void*), void* argument, const char* name, bool ours, std::size_t stack_bytes) {
  auto* start = static_cast<Start*>(std::malloc(sizeof(Start)));
  if (!start) return -12;  // ENOMEM
  start->body = body;
  start->argument = argument;
  start->ours = ours;
  std::size_t i = 0;
  for (; name[i] && i < sizeof start->name - 1; ++i) start->name[i] = name[i];
  start->name[i] = 0;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  constexpr std::size_t least_stack = 256 * 1024, page = 4096;
  if (stack_bytes < least_stack) stack_bytes = least_stack;
  pthread_attr_setstacksize(&attributes, (stack_bytes + thread_local_bytes() + page - 1) / page * page);
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, run_thread, start);
  pthread_attr_destroy(&attributes);
  if (error) std::free(start);
  return -error;
}

}  // namespace

int start_thread(void (*body)(void*), void* argument, const char* name) {
  // The program's handlers must never run on our thread: block everything before it exists; but for the two signals that
  // libc keeps for itself: setuid() waits until every thread has answered one.
  constexpr std::uint64_t of_libc = 3ull << 31;
  std::uint64_t all = ~of_libc, before = 0;
  raw(SYS_rt_sigprocmask, SIG_SETMASK, word(&all), word(&before), sizeof all);
  int result = start_detached(body, argument, name, true, 0);
  raw(SYS_rt_sigprocmask, SIG_SETMASK, word(&before), 0, sizeof before);
  return result;
}

int start_program_thread(void (*body)(void*), void* argument, const char* name, std::size_t stack_bytes) {
  return start_detached(body, argument, name, false, stack_bytes);
}

}  // namespace weir::sys
