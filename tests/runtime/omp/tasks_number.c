/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that gcc shares out by the thread's number, which keeps no task from being set aside; and tasks that share out by it
   themselves, before they wait and after: to them it is the same number. */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { items = 1200, tasks = 300 };

static void wait_2ms(void) { nanosleep(&(struct timespec){0, 2000000}, NULL); }

/* The calling thread's share, as gcc's loops pick theirs. */
static __attribute__((noinline)) long share(const int *of) {
  long sum = 0;
  int size = items / omp_get_num_threads(), from = size * omp_get_thread_num(), end = from + size;
  for (int i = from; i < end; ++i) sum += of[i];
  return sum;
}

int main(void) {
  static int of[items];
  atomic_int over = 0, moved = 0;
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < items; ++i) sum += of[i] = i * 7 % 1000;
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(over)
      {
        wait_2ms();
        atomic_fetch_add(&over, 1);
      }
    }
#pragma omp for
    for (int i = 0; i < tasks / 3; ++i) {
#pragma omp task shared(over, moved)
      {
        long before = share(of);
        wait_2ms();
        if (share(of) != before) atomic_fetch_add(&moved, 1);
        wait_2ms();
        if (share(of) != before) atomic_fetch_add(&moved, 1);
        atomic_fetch_add(&over, 1);
      }
    }
  }
  printf("%ld, %d tasks over, %d on another thread\n", sum, over, moved);
  return 0;
}
