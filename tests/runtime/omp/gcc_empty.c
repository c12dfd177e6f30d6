// SPDX-License-Identifier: Apache-2.0
// Taskloops by gcc that have no iteration: nothing runs, and what they reduce stays as it is.
#include <stdio.h>

static long ran;

static void loops(long from, long to) {
  long last = 5;
#pragma omp taskloop shared(ran)
  for (long i = from; i < to; i++)
#pragma omp atomic
    ran++;
#pragma omp taskloop shared(ran) grainsize(strict : 2)
  for (long i = from; i < to; i++)
#pragma omp atomic
    ran++;
#pragma omp taskloop shared(ran) num_tasks(3) lastprivate(last)
  for (unsigned long i = from; i < (unsigned long)to; i += 3) {
#pragma omp atomic
    ran++;
    last = 1;
  }
#pragma omp taskloop shared(ran) nogroup
  for (unsigned long i = to; i > (unsigned long)from; --i)
#pragma omp atomic
    ran++;
#pragma omp taskloop shared(ran)
  for (long i = to; i > from; i -= 2)
#pragma omp atomic
    ran++;
#pragma omp taskwait
  printf("ran %ld, last %ld\n", ran, last);
}

// (More than one thread of libgomp's may hang in such loops, empty or not: for one.)
static void reductions(long from, long to) {
  long sum = 7;
#pragma omp taskloop reduction(+ : sum)
  for (long i = from; i < to; i++) sum += 1000;
#pragma omp taskloop reduction(+ : sum)
  for (unsigned long i = from; i < (unsigned long)to; i++) sum += 1000;
#pragma omp taskloop reduction(+ : sum) num_tasks(2)
  for (long i = to; i > from; i--) sum += 1000;
#pragma omp taskloop reduction(+ : sum) if (0)
  for (long i = from; i < to; i++) sum += 1000;
#pragma omp taskgroup task_reduction(+ : sum)
#pragma omp taskloop in_reduction(+ : sum)
  for (long i = from; i < to; i++) sum += 1000;
  printf("sum %ld\n", sum);
}

int main(int count, char **arguments) {
  void (*what)(long, long) = count > 1 ? reductions : loops;
  for (int again = 0; again < 3; again++) {
#pragma omp parallel
#pragma omp single
    {
      what(10, 10);
      what(10, 3);
      what(3, 10);
    }
    what(10, 10);
    what(10, 3);
    what(3, 10);
  }
  return 0;
}
