// SPDX-License-Identifier: Apache-2.0
// Threads of the program's own begin and end, four at a time, and each has a team of three for its tasks: the team's other two free
// what they did for a thread that may have ended by the time they free something of another one.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { rounds = 15, at_once = 4, tasks = 20 };

static void add(long* sum, long what) {
  usleep(100);
#pragma omp atomic
  *sum += what;
}

static void* has_tasks(void* sum) {
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < tasks; ++i) {
#pragma omp task firstprivate(i)
    add(sum, i);
  }
  return NULL;
}

static void* has_a_loop_of_tasks(void* sum) {
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < tasks; ++i) add(sum, i);
  return NULL;
}

int main(int count, char** arguments) {
  void* (*work)(void*) = count > 1 && !strcmp(arguments[1], "taskloop") ? has_a_loop_of_tasks : has_tasks;
  long sum = 0;
  for (int i = 0; i < rounds; ++i) {
    pthread_t threads[at_once];
    for (int k = 0; k < at_once; ++k)
      if (pthread_create(&threads[k], NULL, work, &sum)) abort();
    for (int k = 0; k < at_once; ++k) pthread_join(threads[k], NULL);
  }
  printf("%ld\n", sum);
}
