// SPDX-License-Identifier: Apache-2.0
// Waits for child processes. They keep the core: children mostly compute, and none of them counts among those that do. But what
// a child is to go on with may have to come from a task that was set aside on this very thread.
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "intercept/errno_edge.h"
#include "intercept/real.h"
#include "intercept/slices.h"
#include "intercept/waiting.h"
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

bool in_slices(int options, const void* caller) { return !(options & WNOHANG) && others_may_be_waited_for(caller); }

pid_t wait_by_asking(pid_t whom, int* status, int options, rusage* used, meter::Caller caller) {
  auto has = [=](int* value) { return (*value = real_wait4(whom, status, options | WNOHANG, used)) != 0; };
  return by_asking(has, for_any, caller);
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

pid_t wait(int* status) {
  const void* caller = __builtin_return_address(0);
  return in_slices(0, caller) ? wait_by_asking(-1, status, 0, nullptr, {"wait", caller}) : real_wait(status);
}

pid_t waitpid(pid_t whom, int* status, int options) {
  const void* caller = __builtin_return_address(0);
  if (!in_slices(options, caller)) return real_waitpid(whom, status, options);
  return wait_by_asking(whom, status, options, nullptr, {"waitpid", caller});
}

pid_t wait3(int* status, int options, rusage* used) noexcept {
  const void* caller = __builtin_return_address(0);
  return in_slices(options, caller) ? wait_by_asking(-1, status, options, used, {"wait3", caller}) : real_wait3(status, options, used);
}

pid_t wait4(pid_t whom, int* status, int options, rusage* used) noexcept {
  const void* caller = __builtin_return_address(0);
  return in_slices(options, caller) ? wait_by_asking(whom, status, options, used, {"wait4", caller})
                                    : real_wait4(whom, status, options, used);
}

// That nothing has happened yet only what it fills in tells.
int waitid(idtype_t kind, id_t whom, siginfo_t* news, int options) {
  const void* caller = __builtin_return_address(0);
  if (!news || !in_slices(options, caller)) return real_waitid(kind, whom, news, options);
  auto has = [=](int* value) {
    siginfo_t seen{};
    *value = real_waitid(kind, whom, &seen, options | WNOHANG);
    if (*value) return true;
    if (seen.si_pid) *news = seen;
    return seen.si_pid != 0;
  };
  return by_asking(has, for_any, {"waitid", caller});
}

// It closes the stream, which a child may wait for, then waits for the child, and goes on with that after any signal.
int pclose(FILE* stream) {
  const void* caller = __builtin_return_address(0);
  path::number_ends(stream->_fileno);
  path::Call call{path::Family::direct};
  call.ends = wait::Ends::never;
  call.arguments = stream;
  call.real = [](path::Call& c) { return outcome(real_pclose(static_cast<FILE*>(const_cast<void*>(c.arguments)))); };
  if (Result result; others_may_be_waited_for(caller) && path::made_beside(call, &result)) return static_cast<int>(deliver(result));
  return real_pclose(stream);
}

pid_t __wait(int*) __attribute__((alias("wait")));
pid_t __waitpid(pid_t, int*, int) __attribute__((alias("waitpid")));

}  // extern "C"
#pragma GCC visibility pop
