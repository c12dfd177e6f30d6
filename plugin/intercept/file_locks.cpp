// SPDX-License-Identifier: Apache-2.0
// Locks of files. A program may hold flock's, and fcntl's of an open file, while a task of its own waits for a file. (fcntl's other ones,
// and lockf's, are a whole process's: other processes are waited for.)
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

#include "gate/gate.h"
#include "intercept/errno_edge.h"
#include "intercept/real.h"
#include "intercept/waiting.h"
#include "sys/process_locks.h"

namespace weir::intercept {
namespace {

WEIR_REAL Real<int(int, int)> real_flock{"flock"};
WEIR_REAL Real<int(int, int, ...)> real_fcntl{"fcntl"};
WEIR_REAL Real<int(int, int, off_t)> real_lockf{"lockf"};

constexpr bool for_any = false;  // of the handlers

bool is_over(int value) { return !value || (current_errno() != EAGAIN && current_errno() != EACCES); }

// `ask` tries. The holder may be a task that was set aside on this very thread.
template <typename Ask, typename F>
int lock(Ask ask, F real, meter::Caller caller) {
  return tried_first([=](int* value) { return is_over(*value = ask()); }, real, for_any, caller);
}

template <typename F>
int in_kernel_for(int fd, F real, meter::Caller caller) {
  return static_cast<int>(as_a_whole(fd, real, Raises::nothing, caller));
}

// The same of a process's: of those that wait for each other the kernel refuses one, if all of them wait in the kernel: so another
// thread does, as it may. Whose process has none yet waits for nobody that waits for it.
template <typename Ask, typename F>
int lock_of_process(int fd, Ask ask, F real, meter::Caller caller) {
  constexpr int asked_between = 32;
  if (!path::concerns_us()) return real();
  const int before = current_errno();
  int value = ask();
  if (is_over(value)) return value;
  set_errno(before);
  if (!others_may_be_waited_for(caller.address) || sys::has_process_locks()) return in_kernel_for(fd, real, caller);
  bool in_kernel = false;
  int asked = 0;
  auto has = [&](int* now) {
    in_kernel = ++asked % asked_between == 0 && sys::has_process_locks();  // by another thread
    return in_kernel || is_over(*now = ask());
  };
  value = by_asking(has, for_any, caller);
  return in_kernel ? in_kernel_for(fd, real, caller) : value;
}

// Who tries for a lock, and does not get it, tries again for a time, and gives up. With as many more at it as could go on, or with one that
// has it set aside meanwhile, some would come out with nothing, as bare nobody does.
void few_are_to_go_on() {
  if (path::concerns_us()) gate::the_gate.locks_are_tried_for.store(true, std::memory_order_relaxed);
}

// Of one that other tasks have too: that it is tried for shows when one does not get it.
int tried(int result) {
  if (result && (current_errno() == EAGAIN || current_errno() == EACCES)) few_are_to_go_on();
  return result;
}

// A process's lock is had by all its threads: who takes it for a task (SQLite does) keeps the others off by means of its own.
int tried_for_process(int result) {
  few_are_to_go_on();
  return result;
}

bool is_to_write(const void* lock) { return lock && static_cast<const struct flock*>(lock)->l_type == F_WRLCK; }

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int flock(int fd, int operation) noexcept {
  if (operation & LOCK_NB) return tried(real_flock(fd, operation));
  if (operation == LOCK_UN) return real_flock(fd, operation);
  return lock([=] { return real_flock(fd, operation | LOCK_NB); }, [=] { return real_flock(fd, operation); },
              {"flock", __builtin_return_address(0)});
}

// What its command is about: a number, an address, or nothing. (libc's reads it alike.)
int fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* with = va_arg(rest, void*);
  va_end(rest);
  if (command == F_SETLK && is_to_write(with)) return tried_for_process(real_fcntl(fd, command, with));
  if (command == F_OFD_SETLK) return tried(real_fcntl(fd, command, with));
  if (command != F_SETLKW && command != F_OFD_SETLKW) return real_fcntl(fd, command, with);
  int tries = command == F_SETLKW ? F_SETLK : F_OFD_SETLK;
  auto ask = [=] { return real_fcntl(fd, tries, with); };
  auto real = [=] { return real_fcntl(fd, command, with); };
  const meter::Caller caller{"fcntl", __builtin_return_address(0)};
  return command == F_SETLKW ? lock_of_process(fd, ask, real, caller) : lock(ask, real, caller);
}
int __fcntl(int, int, ...) __attribute__((alias("fcntl")));
int fcntl64(int, int, ...) __attribute__((alias("fcntl")));

int lockf(int fd, int command, off_t bytes) {
  if (command == F_TLOCK) return tried_for_process(real_lockf(fd, command, bytes));
  if (command != F_LOCK) return real_lockf(fd, command, bytes);
  return lock_of_process(fd, [=] { return real_lockf(fd, F_TLOCK, bytes); }, [=] { return real_lockf(fd, F_LOCK, bytes); },
                         {"lockf", __builtin_return_address(0)});
}
int lockf64(int, int, off_t) __attribute__((alias("lockf")));

}  // extern "C"
#pragma GCC visibility pop
