// SPDX-License-Identifier: Apache-2.0
// A fork that a library ends its thread for takes no second: neither waits for what the other one keeps off.
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
void begin_thread(void);

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

static int forks_promptly(void) {
  begin_thread();
  double began = now_s();
  pid_t child = fork();
  if (child == 0) _exit(0);
  int is_prompt = child > 0 && now_s() - began < 1;
  waitpid(child, NULL, 0);
  return is_prompt;
}

int main(int count, char **arguments) {
  if (count > 1) return !forks_promptly();
  // In a process of its own each time: what was looked up once is known. The machine may be busy: one of five will do.
  int status = 1;
  for (int i = 0; i < 5 && status; ++i) {
    char *own[] = {arguments[0], "fork", NULL};
    pid_t child;
    if (posix_spawn(&child, arguments[0], NULL, NULL, own, environ) || waitpid(child, &status, 0) != child) return 2;
  }
  printf("forks %s\n", status ? "after a second" : "promptly");
  return 0;
}
