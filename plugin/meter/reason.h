// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::meter {

// Why a call did not take the lane it might have taken. The names appear in reports and in `weir doctor`.
enum class Reason : std::uint8_t {
  none,
  outside,            // no task or team: passed through
  lane_off,           // the user said so
  not_a_task,         // a team's thread, but not inside a task that could be set aside
  lock_held,          // a lock is held across the call
  signal_handler,     // inside a signal handler
  eintr_wanted,       // a handler without SA_RESTART is installed: the call must be interruptible
  nonblocking,        // O_NONBLOCK or MSG_DONTWAIT: the program wants EAGAIN
  unsupported_fd,     // this kind of descriptor can't be waited for by the ring
  unsupported_call,   // these flags or arguments are served by libc alone
  buffered_write,     // a copy to the page cache: nothing to wait for
  child,              // a child process is waited for, which may compute on that core itself
  no_ring,            // io_uring missing, forbidden or out of memory
  cap,                // as many tasks are suspended as the runtime bears
  backlog,            // enough tasks that were set aside wait for the device, or for a thread
  construct,          // the task can't be carried over a suspension
  no_stack,           // no memory for a stack
  foreign_stack,      // the stack pointer is outside the task's stack
  in_order,           // auto: the tasks of one thread go one after the other
  thread_bound,       // auto: the program depends on thread identity
  watchdog,           // no progress with tasks suspended: parked from then on
  cancellable,        // the program uses pthread_cancel
  gate_timeout,       // waited its bounded time for a permit or a core, then went on
  memory,             // little is left, and what is under way took it: as many go on as without weir
  few_at_once,        // tasks try for locks of files: as many go on as without weir
  alone,              // there was nothing else to do for anybody
  no_stand_in,        // the thread blocked, and nobody was there to take its core
  count
};
constexpr int reason_count = static_cast<int>(Reason::count);

const char* name_of(Reason reason);
const char* words_of(Reason reason);  // one clause, for the line at the end

}  // namespace weir::meter
