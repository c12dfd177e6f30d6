// SPDX-License-Identifier: Apache-2.0
// Threads of the program's own come and go, and each has a team with tasks: what one left serves the next. The same lines bare and
// under weir.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { threads = 400, before = 100, tasks = 20 };

static void* has_a_team(void* sum) {
#pragma omp parallel num_threads(1)
#pragma omp single
  for (int i = 0; i < tasks; ++i)
#pragma omp task
  {
    usleep(10);
#pragma omp atomic
    ++*(long*)sum;
  }
  return NULL;
}

static long mapped_mib(void) {
  FILE* file = fopen("/proc/self/statm", "r");
  long pages = 0;
  if (!file || fscanf(file, "%ld", &pages) != 1) abort();
  fclose(file);
  return pages / 256;
}

int main(void) {
  long sum = 0, first = 0;
  for (int i = 0; i < threads; ++i) {
    if (i == before) first = mapped_mib();
    pthread_t thread;
    if (pthread_create(&thread, NULL, has_a_team, &sum)) abort();
    pthread_join(thread, NULL);
  }
  printf("%ld tasks, %s mapped\n", sum, mapped_mib() - first < 2000 ? "little more" : "much more");
}
