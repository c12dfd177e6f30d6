// SPDX-License-Identifier: Apache-2.0
// Waits for child processes. They keep the core: children mostly compute, and none of them counts among those that do. But what
// a child is to go on with may have to come from a task that was set aside on this very thread.
#include "intercept/children.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "intercept/errno_edge.h"
#include "intercept/real.h"
#include "intercept/slices.h"
#include "intercept/waiting.h"
#include "meter/counters.h"
#include "path/beside.h"
#include "path/ending.h"

namespace weir::intercept {
namespace {

WEIR_REAL Real<pid_t(int*)> real_wait{"wait"};
WEIR_REAL Real<pid_t(pid_t, int*, int)> real_waitpid{"waitpid"};
WEIR_REAL Real<pid_t(int*, int, rusage*)> real_wait3{"wait3"};
WEIR_REAL Real<pid_t(pid_t, int*, int, rusage*)> real_wait4{"wait4"};
WEIR_REAL Real<int(idtype_t, id_t, siginfo_t*, int)> real_waitid{"waitid"};
WEIR_REAL Real<int(FILE*)> real_pclose{"pclose"};

constexpr bool for_any = false;  // of the handlers

pid_t wait_by_asking(pid_t whom, int* status, int options, rusage* used, meter::Caller caller) {
  auto has = [=](int* value) { return (*value = real_wait4(whom, status, options | WNOHANG, used)) != 0; };
  return by_asking(has, for_any, caller);
}

// It had ended before, or there is none.
bool was_over(std::int64_t took_ns) { return took_ns < 10 * base::ns_per_us; }

}  // namespace

ChildWait::ChildWait(meter::Caller caller) : caller_(caller) {
  int before = current_errno();
  meter::mine().calls.add(1);
  if (auto* tell = meter::before_wait.load(std::memory_order_relaxed)) tell();
  traced_ = meter::begins(meter::Track::plain, caller_.call);
  set_errno(before);
  began_ns_ = base::now_ns();
}

void ChildWait::is_over() const {
  std::int64_t took_ns = base::now_ns() - began_ns_;
  int of_call = current_errno();
  meter::ends(traced_, meter::Track::plain, caller_.call);
  meter::Counters& counters = meter::mine();
  if (was_over(took_ns)) {
    counters.fast_hits.add(1);
  } else {
    bool off = wait::policy.best.load(std::memory_order_relaxed) == wait::Lane::plain;
    meter::Reason reason = off ? wait::policy.reason.load(std::memory_order_relaxed) : meter::Reason::child;
    counters.plain.add(1);
    counters.reasons[static_cast<int>(reason)].add(1);
    meter::account({caller_, meter::Served::plain, reason, 0, took_ns, 0});
  }
  set_errno(of_call);
}

}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

pid_t wait(int* status) {
  const meter::Caller caller{"wait", __builtin_return_address(0)};
  if (others_may_be_waited_for(caller.address)) return wait_by_asking(-1, status, 0, nullptr, caller);
  return wait_for_child([=] { return real_wait(status); }, caller);
}

pid_t waitpid(pid_t whom, int* status, int options) {
  const meter::Caller caller{"waitpid", __builtin_return_address(0)};
  if (options & WNOHANG) return real_waitpid(whom, status, options);
  if (others_may_be_waited_for(caller.address)) return wait_by_asking(whom, status, options, nullptr, caller);
  return wait_for_child([=] { return real_waitpid(whom, status, options); }, caller);
}

pid_t wait3(int* status, int options, rusage* used) noexcept {
  const meter::Caller caller{"wait3", __builtin_return_address(0)};
  if (options & WNOHANG) return real_wait3(status, options, used);
  if (others_may_be_waited_for(caller.address)) return wait_by_asking(-1, status, options, used, caller);
  return wait_for_child([=] { return real_wait3(status, options, used); }, caller);
}

pid_t wait4(pid_t whom, int* status, int options, rusage* used) noexcept {
  const meter::Caller caller{"wait4", __builtin_return_address(0)};
  if (options & WNOHANG) return real_wait4(whom, status, options, used);
  if (others_may_be_waited_for(caller.address)) return wait_by_asking(whom, status, options, used, caller);
  return wait_for_child([=] { return real_wait4(whom, status, options, used); }, caller);
}

// That nothing has happened yet only what it fills in tells.
int waitid(idtype_t kind, id_t whom, siginfo_t* news, int options) {
  const meter::Caller caller{"waitid", __builtin_return_address(0)};
  if (options & WNOHANG) return real_waitid(kind, whom, news, options);
  if (!news || !others_may_be_waited_for(caller.address))
    return wait_for_child([=] { return real_waitid(kind, whom, news, options); }, caller);
  auto has = [=](int* value) {
    siginfo_t seen{};
    *value = real_waitid(kind, whom, &seen, options | WNOHANG);
    if (*value) return true;
    if (seen.si_pid) *news = seen;
    return seen.si_pid != 0;
  };
  return by_asking(has, for_any, caller);
}

// It closes the stream, which a child may wait for, then waits for the child, and goes on with that after any signal.
int pclose(FILE* stream) {
  const meter::Caller caller{"pclose", __builtin_return_address(0)};
  path::number_ends(stream->_fileno);
  path::Call call{path::Family::direct};
  call.ends = wait::Ends::never;
  call.arguments = stream;
  call.real = [](path::Call& c) { return outcome(real_pclose(static_cast<FILE*>(const_cast<void*>(c.arguments)))); };
  if (Result result; others_may_be_waited_for(caller.address) && path::made_beside(call, &result)) {
    path::count_in(0);
    return static_cast<int>(deliver(result));
  }
  return wait_for_child([=] { return real_pclose(stream); }, caller);
}

pid_t __wait(int*) __attribute__((alias("wait")));
pid_t __waitpid(pid_t, int*, int) __attribute__((alias("waitpid")));

}  // extern "C"
#pragma GCC visibility pop
