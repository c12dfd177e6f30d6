// SPDX-License-Identifier: Apache-2.0
// Tasks that wait; and what keeps a program's tasks on their threads, which its headers tell, or its names, or its code alone.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

enum { tasks = 40, most_threads = 64 };

#if BY_HEADERS
static _Thread_local volatile int kept = 1;
#endif

static void wait_2ms(void) { nanosleep(&(struct timespec){0, 2000000}, NULL); }

int main(void) {
  static int of[1000], begun[most_threads];
  int sum = 0, done = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 1000; ++i) sum += of[i] = i;
#pragma omp parallel
  {
#if BY_CODE
    begun[omp_get_thread_num() % most_threads] = 1;
#else
    begun[0] = 1;
#endif
#pragma omp single
    for (int i = 0; i < tasks; ++i) {
#pragma omp task
      {
        wait_2ms();
#pragma omp atomic
        ++done;
      }
    }
  }
#if BY_HEADERS
  done += kept - 1;
#endif
#if BY_NAMES
  done += sched_getcpu() < 0;
#endif
  printf("sum %d, done %d\n", sum, begun[0] ? done : 0);
}
