/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks hold a common lock while they read what a thread of the program's writes after long, so they make way with it. Others come to
 * wait on the same threads, each with a lock of its own held, for a child that wants the common one. Argument: `nested`, the own ones are
 * of locks that nest. Knows nothing of weir. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { tasks = 9 };
static omp_lock_t own[tasks], common;
static omp_nest_lock_t own_nested[tasks];
static int nested;
static int fed[tasks][2];
static long sum;

static void add(long n) {
#pragma omp atomic
  sum += n;
}

static void* feed(void* unused) {
  for (int i = 0; i < tasks; i += 3) {
    usleep(200 * 1000);
    if (write(fed[i][1], "x", 1) != 1) exit(2);
  }
  return unused;
}

static void hold(int i) {
  char c;
  omp_set_lock(&common);
  if (read(fed[i][0], &c, 1) != 1) exit(2);
  add(i);
  omp_unset_lock(&common);
}

static void want(int i) {
  nested ? omp_set_nest_lock(&own_nested[i]) : omp_set_lock(&own[i]);
#pragma omp task
  {
    usleep(50);
    omp_set_lock(&common);
    add(i);
    omp_unset_lock(&common);
  }
  usleep(50);
#pragma omp taskwait
  nested ? omp_unset_nest_lock(&own_nested[i]) : omp_unset_lock(&own[i]);
}

int main(int count, char** words) {
  pthread_t feeder;
  nested = count > 1 && words[1][0];
  omp_init_lock(&common);
  for (int i = 0; i < tasks; i++) {
    omp_init_lock(&own[i]);
    omp_init_nest_lock(&own_nested[i]);
    if (pipe(fed[i])) return 2;
  }
  if (pthread_create(&feeder, NULL, feed, NULL)) return 2;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; i++) {
#pragma omp task firstprivate(i)
    {
      usleep(200);
      if (i % 3) want(i);
      else hold(i);
    }
  }
  pthread_join(feeder, NULL);
  printf("%ld\n", sum);
  return 0;
}
