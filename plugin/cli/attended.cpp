// SPDX-License-Identifier: Apache-2.0
#include "cli/attended.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <initializer_list>
#include <string>

namespace weir::cli {
namespace {

// What is waited for, not handled: blocked in this process from before the fork until its end. Not what a fault of our own would send.
sigset_t attended_signals() {
  sigset_t set;
  sigfillset(&set);
  for (int sig : {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP}) sigdelset(&set, sig);
  return set;
}

// What the terminal sends, it sends to the program too.
bool was_for_us_alone(const siginfo_t& info) { return info.si_code <= 0; }

bool is_stopped(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");  // "1234 (its name) T ..."
  std::string line;
  std::getline(file, line);
  std::size_t name_end = line.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= line.size() || line[name_end + 2] == 'T' || line[name_end + 2] == 't';
}

// Who continues the program alone does not continue us, and who is stopped can't look: another process does. It goes on till it is killed, as we
// may not have stopped yet.
pid_t watch_while_stopped(pid_t child) {
  pid_t self = getpid(), watch = fork();
  if (watch) return watch;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (getppid() == self) {
    usleep(20'000);
    if (!is_stopped(child)) kill(self, SIGCONT);
  }
  _exit(0);
}

// The program was stopped: so is this process, for whoever watches it (a shell's job control), until either is continued.
void stop_alike(pid_t child) {
  pid_t watch = watch_while_stopped(child);
  raise(SIGSTOP);
  siginfo_t continued{};
  waitid(P_PID, child, &continued, WCONTINUED | WNOHANG);
  if (!continued.si_pid) kill(child, SIGCONT);
  if (watch > 0) kill(watch, SIGKILL), waitpid(watch, nullptr, 0);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGCONT);
  timespec at_once{};
  while (sigtimedwait(&only, nullptr, &at_once) > 0) {}  // the program has had its own
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
