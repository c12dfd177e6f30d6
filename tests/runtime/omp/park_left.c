/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that waited long in a region of its own ends, and others come after it, one by one, whose region computes and
 * waits shortly: that is worth no stand-ins, and what the first one waited is not counted there. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static long wait_ms(int ms) {
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  timerfd_settime(timer, 0, &(struct itimerspec){.it_value = {ms / 1000, ms % 1000 * 1000000L}}, NULL);
  uint64_t times = 0;
  if (read(timer, &times, sizeof times) != sizeof times) abort();
  close(timer);
  return (long)times;
}

/* Through a pointer: this region may wait, for all its code tells, and has stand-ins to begin with. */
static long (*volatile waits)(int) = wait_ms;

/* A barrier in a loop: no stand-ins to begin with, before it is known what the region does. */
static void some_barriers(void) {
  for (volatile int i = 0; i < 3; ++i) {
#pragma omp barrier
  }
}

static void compute_ms(int ms) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  long end = now.tv_sec * 1000 + now.tv_nsec / 1000000 + ms;
  while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < end) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
}

static void* long_waits(void* sum) {
#pragma omp parallel
  {
#pragma omp master
    *(long*)sum += waits(1000);
  }
  return NULL;
}

static void* short_waits(void* sum) {
#pragma omp parallel
  {
    some_barriers();
#pragma omp master
    {
      *(long*)sum += wait_ms(1);
      compute_ms(100);
    }
  }
  return NULL;
}

static void run(void* (*body)(void*), long* sum) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, body, sum) || pthread_join(thread, NULL)) abort();
}

int main(void) {
  long sum = 0;
  run(long_waits, &sum);
  for (int i = 0; i < 4; ++i) run(short_waits, &sum);
  printf("%ld waits\n", sum);
}
