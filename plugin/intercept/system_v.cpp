// SPDX-License-Identifier: Apache-2.0
// System V's semaphores and queues of messages, which have no descriptors: only a thread can wait for them.
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "intercept/errno_edge.h"
#include "intercept/real.h"
#include "intercept/undisturbed.h"
#include "intercept/waiting.h"
#include "path/call.h"
#include "sys/file.h"

namespace weir::intercept {
namespace {

WEIR_REAL Real<int(int, sembuf*, size_t)> real_semop{"semop"};
WEIR_REAL Real<int(int, sembuf*, size_t, const timespec*)> real_semtimedop{"semtimedop"};
WEIR_REAL Real<int(int, const void*, size_t, int)> real_msgsnd{"msgsnd"};
WEIR_REAL Real<ssize_t(int, void*, size_t, long, int)> real_msgrcv{"msgrcv"};

constexpr bool for_any = true;  // of the handlers, with SA_RESTART or without
constexpr size_t most_steps = 64;

// None of which says itself that it must not wait.
bool all_may_wait(const sembuf* steps, size_t count) {
  if (!count || count > most_steps || !sys::readable(reinterpret_cast<std::uintptr_t>(steps), count * sizeof *steps)) return false;
  return std::none_of(steps, steps + count, [](const sembuf& step) { return step.sem_flg & IPC_NOWAIT; });
}

int waited(int set, sembuf* steps, size_t count, const timespec* limit) {
  return undisturbed_within(limit, [=](const timespec* left) { return real_semtimedop(set, steps, count, left); });
}

// Each slice is a wait of the kernel's: what is so for a moment alone (that a semaphore is 0) only a waiter is told.
int step_by_slices(int set, sembuf* steps, size_t count, std::int64_t limit_ns, meter::Caller caller) {
  const std::int64_t began = base::now_ns();
  path::Handlers handlers;
  while (true) {
    const std::int64_t left_ns = limit_ns < 0 ? slice_ns + 1 : began + limit_ns - base::now_ns();
    const timespec slice{0, std::clamp<std::int64_t>(left_ns, 0, slice_ns)};
    int value = parked_with_errno([&] { return waited(set, steps, count, &slice); }, caller);
    if (!value || current_errno() != EAGAIN || left_ns <= slice_ns) return value;
    path::stand_back_in_wait(began);
    if (!handlers.end_wait(for_any)) continue;
    const timespec at_once{0, 0};
    value = real_semtimedop(set, steps, count, &at_once);
    if (value && current_errno() == EAGAIN) set_errno(EINTR);
    return value;
  }
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int semop(int set, sembuf* steps, size_t count) noexcept {
  auto real = [=] { return undisturbed([=](bool) { return real_semop(set, steps, count); }); };
  if (!path::concerns_us() || !all_may_wait(steps, count)) return real();
  const meter::Caller caller{"semop", __builtin_return_address(0)};
  return others_may_be_waited_for(caller.address) ? step_by_slices(set, steps, count, -1, caller) : parked_with_errno(real, caller);
}

int semtimedop(int set, sembuf* steps, size_t count, const timespec* limit) noexcept {
  auto real = [=] { return waited(set, steps, count, limit); };
  const meter::Caller caller{"semtimedop", __builtin_return_address(0)};
  if (!others_may_be_waited_for(caller.address) || !path::concerns_us() || !all_may_wait(steps, count))
    return parked_with_errno(real, caller);
  if (!limit) return step_by_slices(set, steps, count, -1, caller);
  if (!sys::readable(limit) || !is_limit(*limit)) return parked_with_errno(real, caller);
  return step_by_slices(set, steps, count, ns_of(*limit), caller);
}

int msgsnd(int queue, const void* message, size_t bytes, int flags) {
  auto real = [=] { return undisturbed([=](bool) { return real_msgsnd(queue, message, bytes, flags); }); };
  if (flags & IPC_NOWAIT) return real();
  auto has = [=](int* value) {
    *value = real_msgsnd(queue, message, bytes, flags | IPC_NOWAIT);
    return !*value || current_errno() != EAGAIN;
  };
  return tried_first(has, real, for_any, {"msgsnd", __builtin_return_address(0)});
}

ssize_t msgrcv(int queue, void* message, size_t bytes, long type, int flags) {
  auto real = [=] {  // of a few KB at most
    return undisturbed([=](bool) { return static_cast<int>(real_msgrcv(queue, message, bytes, type, flags)); });
  };
  if (flags & IPC_NOWAIT) return real();
  auto has = [=](int* value) {
    *value = static_cast<int>(real_msgrcv(queue, message, bytes, type, flags | IPC_NOWAIT));
    return *value >= 0 || current_errno() != ENOMSG;
  };
  return tried_first(has, real, for_any, {"msgrcv", __builtin_return_address(0)});
}

}  // extern "C"
#pragma GCC visibility pop
