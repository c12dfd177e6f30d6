// SPDX-License-Identifier: Apache-2.0
#include "sys/bare_threads.h"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include <atomic>

#include "sys/futex.h"
#include "sys/raw.h"
#include "sys/valgrind.h"

namespace weir::sys {
namespace {

constexpr std::int64_t most = 1024;

// A thread that sleeps until *over is not 0, and ends; then the kernel clears *tid. Between its first instruction and its
// last it is here, where no stack is touched, nor libc's record of a thread, which is its parent's. Signals are blocked.
Result start(std::atomic<std::uint32_t>* over, std::atomic<std::uint32_t>* tid) {
  // libc's own, to the bit: a sandbox may let no others pass.
  constexpr long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |
                         CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
  long record;
  asm("movq %%fs:0, %0" : "=r"(record));
  alignas(64) static char never_touched[64];
  Result result;
  register long r10 asm("r10") = word(tid);
  register long r8 asm("r8") = record;
  register long r12 asm("r12") = word(over);
  asm volatile(
      "syscall\n\t"
      "testq %%rax, %%rax\n\t"
      "jnz 2f\n"
      "1:\n\t"
      "movl %[futex], %%eax\n\t"
      "movq %%r12, %%rdi\n\t"
      "movl %[wait], %%esi\n\t"
      "xorl %%edx, %%edx\n\t"
      "xorl %%r10d, %%r10d\n\t"
      "syscall\n\t"
      "cmpl $0, (%%r12)\n\t"
      "je 1b\n\t"
      "movl %[exit], %%eax\n\t"
      "xorl %%edi, %%edi\n\t"
      "syscall\n"
      "2:"
      : "=a"(result), "+r"(r10)
      : "a"(SYS_clone), "D"(flags), "S"(never_touched + sizeof never_touched), "d"(tid), "r"(r8), "r"(r12),
        [futex] "i"(SYS_futex), [wait] "i"(FUTEX_WAIT | FUTEX_PRIVATE_FLAG), [exit] "i"(SYS_exit)
      : "rcx", "r11", "memory", "cc");
  return result;
}

// The kernel wakes who waits for a thread's end by the shared kind of futex.
void wait_for_end(std::atomic<std::uint32_t>& tid) {
  while (std::uint32_t now = tid.load(std::memory_order_acquire)) raw(SYS_futex, word(&tid), FUTEX_WAIT, now, 0);
}

// The kernel says that a thread is over before it counts it out: where there were no more to be had, who asks next is not to fail
// for one of these.
void wait_until_gone(std::int32_t tid) {
  timespec moment{0, 100'000};
  for (int i = 0; i < 1000 && !failed(raw(SYS_tgkill, raw(SYS_getpid), tid, 0)); ++i) raw(SYS_nanosleep, word(&moment), 0);
}

std::uint64_t change_mask(std::uint64_t mask) {
  std::uint64_t before = 0;
  raw(SYS_rt_sigprocmask, SIG_SETMASK, word(&mask), word(&before), sizeof mask);
  return before;
}

// Pieces of one length that were mapped one after the other mostly lie side by side. To give back each by itself would stop the
// program's other threads each time, for their page tables.
void unmap(void* const* pieces, std::int64_t count, std::int64_t bytes) {
  for (std::int64_t from = 0, to; from < count; from = to) {
    char *low = static_cast<char*>(pieces[from]), *high = low + bytes;
    for (to = from + 1; to < count; ++to) {
      char* piece = static_cast<char*>(pieces[to]);
      if (piece + bytes == low) low = piece;
      else if (piece == high) high += bytes;
      else break;
    }
    raw(SYS_munmap, word(low), high - low);
  }
}

}  // namespace

// One by one, as libc asks for them, without touching any.
std::int64_t stacks_to_be_had(std::int64_t wanted, std::int64_t stack_bytes) {
  constexpr std::int64_t usual_stack = 8 << 20;
  std::int64_t bytes = stack_bytes > 0 ? stack_bytes : usual_stack;
  if (wanted > most) wanted = most;
  void* stacks[most];
  std::int64_t had = 0;
  for (; had < wanted; ++had) {
    Result at = raw(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (failed(at)) break;
    stacks[had] = reinterpret_cast<void*>(at);
  }
  unmap(stacks, had, bytes);
  return had;
}

std::int64_t threads_to_be_had(std::int64_t wanted, std::int64_t stack_bytes) {
  wanted = stacks_to_be_had(wanted, stack_bytes);
  if (under_valgrind()) return wanted;  // it knows libc's threads only
  std::atomic<std::uint32_t> over{0}, tids[most];
  std::int32_t numbers[most];
  std::uint64_t mask = change_mask(~std::uint64_t{0});
  std::int64_t started = 0;
  for (; started < wanted; ++started) {
    tids[started].store(0, std::memory_order_relaxed);
    Result number = start(&over, &tids[started]);
    if (failed(number)) break;
    numbers[started] = static_cast<std::int32_t>(number);
  }
  over.store(1, std::memory_order_release);
  futex_wake(over, 1 << 30);
  for (std::int64_t i = 0; i < started; ++i) wait_for_end(tids[i]);
  for (std::int64_t i = 0; started < wanted && i < started; ++i) wait_until_gone(numbers[i]);
  change_mask(mask);
  return started;
}

}  // namespace weir::sys
