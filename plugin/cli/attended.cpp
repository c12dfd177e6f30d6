// SPDX-License-Identifier: Apache-2.0
#include "cli/attended.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <initializer_list>

namespace weir::cli {
namespace {

// What is waited for, not handled: blocked in this process from before the fork until its end.
sigset_t attended_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int sig : {SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT, SIGTSTP, SIGTTIN,
                  SIGTTOU, SIGWINCH, SIGPIPE})
    sigaddset(&set, sig);
  for (int sig = SIGRTMIN; sig <= SIGRTMAX; ++sig) sigaddset(&set, sig);
  return set;
}

// What the terminal sends, it sends to the program too.
bool was_for_us_alone(const siginfo_t& info) { return info.si_code <= 0; }

// The program was stopped: so is this process, for whoever watches it (a shell's job control), until it is continued.
void stop_alike(pid_t child) {
  raise(SIGSTOP);
  kill(child, SIGCONT);
}

int wait_for(pid_t child, const sigset_t& signals) {
  for (;;) {
    int status;
    pid_t changed = waitpid(child, &status, WUNTRACED | WNOHANG);
    if (changed == child && !WIFSTOPPED(status)) return status;
    if (changed == child) {
      stop_alike(child);
      continue;
    }
    siginfo_t info;
    int sig = sigwaitinfo(&signals, &info);
    if (sig > 0 && sig != SIGCHLD && was_for_us_alone(info)) kill(child, sig);
  }
}

[[noreturn]] void be_the_program(pid_t parent, int (*start)(void*), void* context, const sigset_t& mask,
                                 const struct sigaction& on_child) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it was killed before we asked to be told
  sigaction(SIGCHLD, &on_child, nullptr);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  _exit(start(context));
}

}  // namespace

Ending run_attended(int (*start)(void* context), void* context) {
  sigset_t signals = attended_signals(), mask;
  sigprocmask(SIG_BLOCK, &signals, &mask);
  // A child of a process that ignores SIGCHLD leaves no status; the program itself gets what was inherited.
  struct sigaction plain {}, inherited {};
  plain.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &plain, &inherited);
  Ending ending;
  pid_t self = getpid(), child = fork();
  if (child == 0) be_the_program(self, start, context, mask, inherited);
  if (child < 0) ending.error = errno;
  else ending.status = wait_for(child, signals);
  return ending;
}

void end_alike(const Ending& ending) {
  if (!WIFSIGNALED(ending.status)) std::exit(WEXITSTATUS(ending.status));
  int sig = WTERMSIG(ending.status);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);  // the program left its own, if it was to
  std::signal(sig, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, sig);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  kill(getpid(), sig);
  std::exit(128 + sig);
}

}  // namespace weir::cli
