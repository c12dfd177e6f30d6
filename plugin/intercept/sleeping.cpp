// SPDX-License-Identifier: Apache-2.0
// nanosleep and its kin. (sleep and usleep call the inner name of nanosleep: each has to be met by its own.)
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "intercept/errno_edge.h"
#include "intercept/real.h"
#include "intercept/undisturbed.h"
#include "path/call.h"
#include "sys/file.h"

namespace weir::intercept {
namespace {

using path::Call;
using path::Family;

WEIR_REAL Real<int(const timespec*, timespec*)> real_nanosleep{"nanosleep"};
WEIR_REAL Real<int(clockid_t, int, const timespec*, timespec*)> real_clock_nanosleep{"clock_nanosleep"};
WEIR_REAL Real<int(useconds_t)> real_usleep{"usleep"};
WEIR_REAL Real<unsigned(unsigned)> real_sleep{"sleep"};
WEIR_REAL Real<int(const timespec*, timespec*)> real_thrd_sleep{"thrd_sleep"};

constexpr std::int64_t ns_per_s = 1'000'000'000;

// In nanoseconds; -1 where libc is to have it: nothing to wait for, an error, or longer than we count.
std::int64_t span_of(const timespec* span) {
  if (!sys::readable(span)) return -1;
  if (span->tv_nsec < 0 || span->tv_nsec >= ns_per_s || span->tv_sec < 0 || span->tv_sec > ns_per_s) return -1;
  return span->tv_sec * ns_per_s + span->tv_nsec;
}

int slept(const timespec* span, timespec* left) {
  timespec rest{};
  int result = undisturbed([&](bool again) { return real_nanosleep(again ? &rest : span, &rest); });
  if (result && current_errno() == EINTR && left && sys::readable(left)) *left = rest;
  return result;
}

// `sleep(span, left)` says by its value that it was `interrupted`, and errno is not touched.
template <typename Sleep>
int slept(const timespec* span, timespec* left, int interrupted, Sleep sleep) {
  timespec rest{};
  for (const timespec* next = span;; next = &rest) {
    const base::Disturbed disturbed;
    int value = sleep(next, &rest);
    if (value == interrupted && disturbed.by_us()) continue;
    if (value == interrupted && left && sys::readable(left)) *left = rest;
    return value;
  }
}

int slept(clockid_t clock, int flags, const timespec* span, timespec* left) {
  bool until = flags & TIMER_ABSTIME;
  return slept(span, until ? nullptr : left, EINTR,
               [=](const timespec* next, timespec* rest) { return real_clock_nanosleep(clock, flags, until ? span : next, rest); });
}

int slept_us(useconds_t us) {
  const base::Left left(us != 0);
  return undisturbed([&](bool again) {
    if (!again) return real_usleep(us);
    const timespec rest = left.of(timespec{us / 1'000'000, us % 1'000'000 * 1'000L});
    return real_nanosleep(&rest, nullptr);
  });
}

// Whose value does not tell that it was interrupted in its last second.
unsigned slept_s(unsigned seconds) {
  const base::Left left(seconds != 0);
  const base::Disturbed disturbed;
  unsigned result = real_sleep(seconds);
  if (!disturbed.by_us()) return result;
  timespec rest = left.of(timespec{seconds, 0});
  set_errno(disturbed.errno_before());
  return slept(&rest, &rest) ? static_cast<unsigned>(rest.tv_sec) : 0;
}

int thread_slept(const timespec* span, timespec* left) {
  return slept(span, left, -1, [](const timespec* next, timespec* rest) { return real_thrd_sleep(next, rest); });
}

struct Nap {
  clockid_t clock = 0;
  int flags = 0;
  const timespec* span = nullptr;
  timespec* left = nullptr;
  std::uint64_t count = 0;
};

Result nap(const op::Op& operation, const Nap& arguments, Result (*real)(Call&),
           meter::Caller caller = {__builtin_FUNCTION(), __builtin_return_address(0)}) {
  Call call{Family::direct};
  call.ends = wait::Ends::handled;
  call.real = real;
  call.arguments = &arguments;
  call.operation = &operation;
  return path::run(call, caller);
}

const Nap& nap_of(const Call& call) { return *static_cast<const Nap*>(call.arguments); }

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int nanosleep(const timespec* span, timespec* left) {
  std::int64_t ns = path::concerns_us() ? span_of(span) : -1;
  if (ns <= 0) {
    int result = slept(span, left);
    path::count_in(0);
    return result;
  }
  op::Op operation = op::timeout(ns);
  Nap what{0, 0, span, left, 0};
  return static_cast<int>(deliver(nap(operation, what, [](Call& c) {
    return outcome(slept(nap_of(c).span, nap_of(c).left));
  })));
}

// Says its error by its value; errno is not touched.
int clock_nanosleep(clockid_t clock, int flags, const timespec* span, timespec* left) {
  bool ours = path::concerns_us() && (clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME) && !(flags & ~TIMER_ABSTIME);
  std::int64_t ns = ours ? span_of(span) : -1;
  if (ns <= 0) {
    int error = slept(clock, flags, span, left);
    path::count_in(0);
    return error;
  }
  op::Op operation = op::timeout(ns);
  operation.absolute = flags & TIMER_ABSTIME;
  operation.clock_realtime = operation.absolute && clock == CLOCK_REALTIME;
  Nap what{clock, flags, span, left, 0};
  return static_cast<int>(-nap(operation, what, [](Call& c) {
    const Nap& n = nap_of(c);
    return -static_cast<Result>(slept(n.clock, n.flags, n.span, n.left));
  }));
}

int usleep(useconds_t us) {
  if (!us || !path::concerns_us()) {
    int result = slept_us(us);
    path::count_in(0);
    return result;
  }
  op::Op operation = op::timeout(us * 1'000LL);
  Nap what;
  what.count = us;
  return static_cast<int>(deliver(nap(operation, what, [](Call& c) {
    return outcome(slept_us(static_cast<useconds_t>(nap_of(c).count)));
  })));
}

unsigned sleep(unsigned seconds) {
  if (!seconds || !path::concerns_us()) {
    unsigned left = slept_s(seconds);
    path::count_in(0);
    return left;
  }
  op::Op operation = op::timeout(seconds * ns_per_s);
  Nap what;
  what.count = seconds;
  Result left = nap(operation, what, [](Call& c) {
    return static_cast<Result>(slept_s(static_cast<unsigned>(nap_of(c).count)));
  });
  return static_cast<unsigned>(left);
}

// 0, -1 when a signal came, -2 for anything else; never errno.
int thrd_sleep(const timespec* span, timespec* left) {
  std::int64_t ns = path::concerns_us() ? span_of(span) : -1;
  if (ns <= 0) {
    int result = thread_slept(span, left);
    path::count_in(0);
    return result;
  }
  op::Op operation = op::timeout(ns);
  Nap what{0, 0, span, left, 0};
  return static_cast<int>(nap(operation, what, [](Call& c) {
    return static_cast<Result>(thread_slept(nap_of(c).span, nap_of(c).left));
  }));
}

int __nanosleep(const timespec*, timespec*) __attribute__((alias("nanosleep")));

}  // extern "C"
#pragma GCC visibility pop
