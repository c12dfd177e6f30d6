// SPDX-License-Identifier: Apache-2.0
// The calls that install signal handlers. What they return, and what they would have returned, is the same.
#include <pthread.h>
#include <signal.h>

#include "intercept/handlers.h"
#include "intercept/real.h"
#include "wait/lane.h"

namespace weir::intercept {
namespace {

using Install = Handler(int, Handler);

WEIR_REAL Real<int(int, const struct sigaction*, struct sigaction*)> real_sigaction{"sigaction"};
WEIR_REAL Real<Install> real_signal{"signal"};
WEIR_REAL Real<Install> real_sysv_signal{"sysv_signal"};
WEIR_REAL Real<Install> real_sigset{"sigset"};
WEIR_REAL Real<int(int)> real_sigignore{"sigignore"};
WEIR_REAL Real<int(int, int)> real_siginterrupt{"siginterrupt"};
WEIR_REAL Real<int(pthread_t)> real_pthread_cancel{"pthread_cancel"};

Handler install(const Real<Install>& real, int signal, Handler handler) {
  Handler before = handler_behind(real(signal, stand_in_for(handler)));
  note_disposition(signal);
  return before;
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int sigaction(int signal, const struct sigaction* action, struct sigaction* before) noexcept {
  struct sigaction ours;
  if (action) {
    ours = *action;
    ours.sa_handler = stand_in_for(action->sa_handler);
  }
  int result = real_sigaction(signal, action ? &ours : nullptr, before);
  if (result) return result;
  if (before) before->sa_handler = handler_behind(before->sa_handler);
  if (action) note_disposition(signal);
  return 0;
}

Handler signal(int signal, Handler handler) noexcept { return install(real_signal, signal, handler); }
Handler sysv_signal(int signal, Handler handler) noexcept { return install(real_sysv_signal, signal, handler); }
Handler sigset(int signal, Handler handler) noexcept { return install(real_sigset, signal, handler); }

int sigignore(int signal) noexcept {
  int result = real_sigignore(signal);
  note_disposition(signal);
  return result;
}

int siginterrupt(int signal, int interrupt) noexcept {
  int result = real_siginterrupt(signal, interrupt);
  note_disposition(signal);
  return result;
}

// Only libc's own calls are cancellation points: from the first cancellation on, they are what the program gets.
int pthread_cancel(pthread_t thread) {
  wait::policy.cancellable.store(true, std::memory_order_relaxed);
  return real_pthread_cancel(thread);
}

int __sigaction(int, const struct sigaction*, struct sigaction*) noexcept __attribute__((alias("sigaction")));
Handler bsd_signal(int, Handler) noexcept __attribute__((alias("signal")));
Handler ssignal(int, Handler) noexcept __attribute__((alias("signal")));
Handler __sysv_signal(int, Handler) noexcept __attribute__((alias("sysv_signal")));

}  // extern "C"
#pragma GCC visibility pop
