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

/* In a process of its own. 0: the child's calls took no longer than they should. */
static int fork_after(useconds_t us) {
  pthread_t thread;
  pthread_create(&thread, NULL, first_call, NULL);
  usleep(us);
  pid_t child = fork();
  if (!child) {
    long began = now_ms();
    _exit(weir_init(NULL) || weir_sleep(1000000) || now_ms() - began > 5000);
  }
  int status = -1;
  waitpid(child, &status, 0);
  pthread_join(thread, NULL);
  return status != 0;
}

/* Some at a time, for what happens where a thread has to wait for a core right then. */
int main(void) {
  enum { rounds = 32, at_a_time = 8 };
  int late = 0;
  for (int i = 0; i < rounds && !late; ++i) {
    for (int k = 0; k < at_a_time; ++k) {
      if (!fork()) alarm(60), _exit(fork_after((useconds_t)(i * at_a_time + k) * 15));
    }
    for (int status = -1; wait(&status) > 0;) late += status != 0;
  }
  if (late) fprintf(stderr, "early_fork: a child waited for who was not there\n");
  return late;
}
