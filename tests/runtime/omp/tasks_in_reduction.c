// SPDX-License-Identifier: Apache-2.0
// Tasks that reduce into their thread's own copy: while one of them has it in hand nothing else may begin on that thread that wants it,
// be it that a child waits in its place, or that it waits itself in a loop of which gcc asks for the thread's number.
#include <stdio.h>
#include <unistd.h>

enum { rounds = 8, tasks = 20, children = 3, passes = 30 };

static long waits_in_a_child(void) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < tasks; i++)
#pragma omp task in_reduction(+ : sum)
  {
    long before = sum;
#pragma omp task if (0)
    {
      for (int k = 0; k < children; k++)
#pragma omp task
        usleep(k ? 300 : 1300);
#pragma omp taskwait
    }
    sum = before + 1;
  }
  return sum;
}

static long waits_in_a_loop(void) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : sum) num_tasks(7)
  for (int i = 0; i < passes; i++) {
    long before = sum;
    usleep(200);
    sum = before + i;
  }
  return sum;
}

static long waits_undeferred(int deferred) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : sum) num_tasks(7) if (deferred)
  for (int i = 0; i < passes; i++) {
    long before = sum;
    usleep(200);
    sum = before + i;
  }
  return sum;
}

int main(void) {
  for (int i = 0; i < rounds; i++) printf("%ld %ld %ld\n", waits_in_a_child(), waits_in_a_loop(), waits_undeferred(0));
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; i++)
#pragma omp task  // one that may be set aside
    usleep(1000);
  return 0;
}
