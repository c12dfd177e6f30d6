/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for children, by every name of libc's: what they give, and errno. must count: child fast_hits */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t ends_with(int status) {
  fflush(stdout);
  pid_t child = fork();
  if (child) return child;
  usleep(3000);
  _exit(status);
}

static void say(const char *name, int as_expected, int status) {
  printf("%s %d: status %d, errno %d\n", name, as_expected, WEXITSTATUS(status), errno);
}

int main(void) {
  struct rusage used;
  siginfo_t news = {0};
  int status = 0;
  errno = 77;
  pid_t child = ends_with(1);
  say("wait", wait(&status) == child, status);
  child = ends_with(2);
  say("waitpid", waitpid(child, &status, 0) == child, status);
  child = ends_with(3);
  say("wait3", wait3(&status, 0, &used) == child, status);
  child = ends_with(4);
  say("wait4", wait4(child, &status, 0, &used) == child, status);
  child = ends_with(5);
  say("waitid", waitid(P_PID, child, &news, WEXITED) == 0 && news.si_pid == child && news.si_status == 5, status);
  status = system("sleep 0.01; exit 6");
  say("system", status >= 0, status);
  FILE *lines = popen("sleep 0.01; exit 7", "r");
  status = pclose(lines);
  say("pclose", status >= 0, status);
  child = ends_with(8);
  say("waitpid, not yet", waitpid(child, &status, WNOHANG) == 0, status);
  say("waitpid, at last", waitpid(child, &status, 0) == child, status);
  say("waitpid, none", waitpid(child, &status, 0) == -1, status);
  return 0;
}
