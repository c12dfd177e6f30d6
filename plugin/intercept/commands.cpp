// SPDX-License-Identifier: Apache-2.0
// system: a command, and the wait for it. What it is to go on with may have to come from a task that was set aside on this very
// thread, so that wait is cut into slices; and as libc's own can't be, where tasks may be set aside the command is run here as
// libc runs it.
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/thread.h"
#include "intercept/children.h"
#include "intercept/errno_edge.h"
#include "intercept/real.h"
#include "intercept/slices.h"
#include "intercept/waiting.h"
#include "sys/lock.h"
#include "sys/raw.h"
#include "wait/lane.h"

namespace weir::intercept {
namespace {

WEIR_REAL Real<int(const char*)> real_system{"system"};
WEIR_REAL Real<int(int, const struct sigaction*, struct sigaction*)> real_sigaction{"sigaction"};
WEIR_REAL Real<pid_t(pid_t, int*, int, rusage*)> real_wait4{"wait4"};

enum class By { libc, us };

// While any command is under way the terminal's keys are its own: the program ignores their signals. The last to end puts back what
// was, so all that overlap are run by libc, which counts its own, or by us.
constinit sys::Lock commands;  // of what follows
constinit int under_way = 0;
constinit By by = By::libc;
constinit struct sigaction interrupt_before, quit_before;

// Signal sets as the kernel has them.
constexpr std::size_t set_bytes = 8;
void block(int how, const sigset_t* set, sigset_t* before) {
  sys::raw(SYS_rt_sigprocmask, how, sys::word(set), sys::word(before), set_bytes);
}

class Command {
 public:
  explicit Command(By wanted) {
    sys::LockScope locked(commands);
    if (under_way++) return;
    by = wanted;
    if (by == By::libc) return;
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    real_sigaction(SIGINT, &ignore, &interrupt_before);
    real_sigaction(SIGQUIT, &ignore, &quit_before);
  }
  ~Command() {
    sys::LockScope locked(commands);
    if (--under_way || by == By::libc) return;
    real_sigaction(SIGINT, &interrupt_before, nullptr);
    real_sigaction(SIGQUIT, &quit_before, nullptr);
  }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  By is_run_by() const { return by; }
};

// 0 or an error's number.
int begin(const char* line, const sigset_t& mask, pid_t* child) {
  sigset_t as_by_default;
  sigemptyset(&as_by_default);
  if (interrupt_before.sa_handler != SIG_IGN) sigaddset(&as_by_default, SIGINT);
  if (quit_before.sa_handler != SIG_IGN) sigaddset(&as_by_default, SIGQUIT);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  posix_spawnattr_setsigmask(&how, &mask);
  posix_spawnattr_setsigdefault(&how, &as_by_default);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  const char* const words[] = {"sh", "-c", line, nullptr};
  int error = posix_spawn(child, "/bin/sh", nullptr, &how, const_cast<char* const*>(words), environ);
  posix_spawnattr_destroy(&how);
  return error;
}

// No handler ends the wait.
template <typename Wait>
int end_of(pid_t child, Wait wait) {
  int status = 0;
  pid_t got;
  do got = wait(&status);
  while (got < 0 && current_errno() == EINTR);
  return got == child ? status : -1;
}

int run(const char* line, meter::Caller caller) {
  sigset_t child_ends, mask;
  sigemptyset(&child_ends);
  sigaddset(&child_ends, SIGCHLD);
  sigemptyset(&mask);
  block(SIG_BLOCK, &child_ends, &mask);  // else a handler of the program's might take the news
  pid_t child = -1;
  int error = begin(line, mask, &child), status = 127 << 8;
  bool by_slices = !error && others_may_be_waited_for(caller.address);
  if (!error && !by_slices)
    status = wait_for_child([=] { return end_of(child, [=](int* news) { return real_wait4(child, news, 0, nullptr); }); }, caller);
  block(SIG_SETMASK, &mask, nullptr);
  if (error) set_errno(error);
  if (!by_slices) return status;
  // Who goes on here meanwhile is not to have it blocked; and the caller may stand on another thread then.
  return end_of(child, [=](int* news) {
    return by_asking([=](int* value) { return (*value = real_wait4(child, news, WNOHANG, nullptr)) != 0; }, false, caller);
  });
}

// (libcs differ in how they run what begins like an option.)
bool is_ours(const char* line) {
  const base::Thread& thread = base::self_unsuspended();
  if (!line || *line == '-' || *line == '+' || thread.engine_depth || base::in_signal_handler()) return false;
  if (!thread.omp && !(thread.place & base::in_tbb_arena)) return false;
  if (wait::policy.cancellable.load(std::memory_order_relaxed)) return false;
  return wait::policy.best.load(std::memory_order_relaxed) == wait::Lane::suspend;
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int system(const char* line) {
  if (!line || base::self().engine_depth) return real_system(line);
  const meter::Caller caller{"system", __builtin_return_address(0)};
  Command command(is_ours(line) ? By::us : By::libc);
  return command.is_run_by() == By::us ? run(line, caller) : wait_for_child([=] { return real_system(line); }, caller);
}

}  // extern "C"
#pragma GCC visibility pop
