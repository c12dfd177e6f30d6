// SPDX-License-Identifier: Apache-2.0
// One thread: tasks that wait, and then detached ones, whose events a thread of the program's fulfills.
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { rounds = 10, before = 4 };

static void *fulfills(void *event) {
  usleep(2000);
  omp_fulfill_event((omp_event_handle_t)(uintptr_t)event);
  return NULL;
}

static long one_after_others(void) {
  pthread_t thread;
  omp_event_handle_t event;
  long sum = 0;
#pragma omp parallel num_threads(1)
#pragma omp single
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < before; i++)
#pragma omp task shared(sum)
    {
      usleep(1000);
      sum += i;
    }
#pragma omp task detach(event) shared(sum)
    {
      sum += 100;
      if (pthread_create(&thread, NULL, fulfills, (void *)(uintptr_t)event)) abort();
    }
#pragma omp taskwait
    pthread_join(thread, NULL);
  }
  return sum;
}

// None of them is over before the last one was created.
static long two_at_once(void) {
  omp_event_handle_t first, second;
  long sum = 0;
#pragma omp parallel num_threads(1)
#pragma omp single
  {
#pragma omp task shared(sum)
    {
      usleep(1000);
      sum += 1;
    }
#pragma omp task detach(first) shared(sum)
    sum += 10;
#pragma omp task detach(second) shared(sum)
    sum += 100;
    omp_fulfill_event(first);
    omp_fulfill_event(second);
#pragma omp taskwait
  }
  return sum;
}

static long by_a_task(void) {
  pthread_t thread;
  long sum = 0;
#pragma omp parallel num_threads(1)
#pragma omp single
  {
#pragma omp task shared(sum, thread)
    {
      omp_event_handle_t event;
      usleep(1000);
#pragma omp task shared(sum)
      {
        usleep(2000);
        sum += 1;
      }
#pragma omp task detach(event) shared(sum, thread)
      {
        sum += 10;
        if (pthread_create(&thread, NULL, fulfills, (void *)(uintptr_t)event)) abort();
      }
#pragma omp task shared(sum)
      {
        usleep(1000);
        sum += 100;
      }
#pragma omp taskwait
    }
#pragma omp task shared(sum)
    {
      usleep(500);
      sum += 1000;
    }
  }
  pthread_join(thread, NULL);
  return sum;
}

int main(void) {
  for (int i = 0; i < rounds; i++) printf("%ld %ld %ld\n", one_after_others(), two_at_once(), by_a_task());
  return 0;
}
