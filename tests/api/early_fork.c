/* SPDX-License-Identifier: Apache-2.0 */
/* A thread makes weir's first call while another one forks: what it was preparing, nobody goes on with in the child. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "weir/weir.h"

static void *first_call(void *arg) {
  weir_init(NULL);
  return arg;
}

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* In a process of its own. 0: the child's call took no longer than it should. */
static int fork_after(useconds_t us) {
  pthread_t thread;
  pthread_create(&thread, NULL, first_call, NULL);
  usleep(us);
  pid_t child = fork();
  if (!child) {
    long began = now_ms();
    _exit(weir_init(NULL) || weir_sleep(1000000) || now_ms() - began > 700);
  }
  int status = -1;
  waitpid(child, &status, 0);
  pthread_join(thread, NULL);
  return status != 0;
}

int main(void) {
  int late = 0;
  for (int i = 0; i < 20 && !late; ++i) {
    pid_t one = fork();
    if (!one) alarm(60), _exit(fork_after((useconds_t)i * 200));
    int status = -1;
    waitpid(one, &status, 0);
    late += status != 0;
  }
  if (late) fprintf(stderr, "early_fork: a child waited for who was not there\n");
  return late;
}
