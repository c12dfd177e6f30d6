// SPDX-License-Identifier: Apache-2.0
// tasks_forked worker|task|beside: children that run OpenMP tasks with calls that wait, forked within a team or while another
// thread has one. The same lines bare and under weir.
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { children = 5, pairs = 40 };

// Tasks in pairs: one waits for what the other sends.
static long handed_over(void) {
  long sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < pairs; ++i) {
    int ends[2];
    if (pipe(ends)) abort();
#pragma omp task shared(sum) firstprivate(ends)
    {
      int number = 0;
      if (read(ends[0], &number, sizeof number) != sizeof number) abort();
      close(ends[0]);
#pragma omp atomic
      sum += number;
    }
#pragma omp task firstprivate(ends, i)
    {
      if (!i) usleep(20000);
      if (write(ends[1], &i, sizeof i) != sizeof i) abort();
      close(ends[1]);
    }
  }
  return sum;
}

static void child(void) {
  pid_t forked = fork();
  if (!forked) {
    alarm(20);
    _exit(handed_over() == pairs * (pairs - 1) / 2 && handed_over() == pairs * (pairs - 1) / 2 ? 0 : 1);
  }
  int status = 0;
  if (forked < 0 || waitpid(forked, &status, 0) != forked) abort();
  printf("child: %x\n", status);
}

static atomic_int enough;

static void* goes_on(void* unused) {
  while (!enough) handed_over();
  return unused;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "worker")) {
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 2)
      for (int i = 0; i < children; ++i) child();
  } else if (!strcmp(how, "task")) {
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < children; ++i)
#pragma omp task
      child();
  } else if (!strcmp(how, "beside")) {
    pthread_t other;
    if (pthread_create(&other, NULL, goes_on, NULL)) abort();
    for (int i = 0; i < children; ++i) child();
    enough = 1;
    pthread_join(other, NULL);
  } else {
    return 2;
  }
  printf("here: %ld\n", handed_over());
}
