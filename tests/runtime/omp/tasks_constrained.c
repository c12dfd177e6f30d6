// SPDX-License-Identifier: Apache-2.0
// tasks_constrained copies|holder: a tied task that waits has none begin on its thread but its descendants, where another
// one could be noticed. The same lines bare and under weir.
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Tasks that share a thread's copy of a reduction, and wait between reading and writing it.
static void copies(void) {
  enum { many = 100 };
  long waited = 0, grouped = 0, yielded = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : waited)
    for (int i = 0; i < many; ++i) {
#pragma omp task in_reduction(+ : waited)
      {
        long before = waited;
#pragma omp task
        usleep(200);
#pragma omp taskwait
        waited = before + 1;
      }
    }
#pragma omp taskgroup task_reduction(+ : grouped)
    for (int i = 0; i < many; ++i) {
#pragma omp task in_reduction(+ : grouped)
      {
        long before = grouped;
#pragma omp taskgroup
        {
#pragma omp task
          usleep(100);
        }
        grouped = before + 1;
      }
    }
#pragma omp taskgroup task_reduction(+ : yielded)
    for (int i = 0; i < many; ++i) {
#pragma omp task in_reduction(+ : yielded)
      {
        long before = yielded;
#pragma omp taskyield
        yielded = before + 1;
      }
    }
  }
  printf("%ld %ld %ld\n", waited, grouped, yielded);
}

// A thread of the team waits for its child, with a critical section held that another thread's tasks want.
static void holder(void) {
  enum { many = 20 };
  atomic_int begun = 0, made = 0;
  long sum = 0;
#pragma omp parallel num_threads(3) shared(sum, begun, made)
#pragma omp sections nowait
  {
#pragma omp section
    {
      while (!begun) usleep(100);
      for (int i = 0; i < many; ++i) {
#pragma omp task shared(sum)
        {
#pragma omp critical(held)
          ++sum;
        }
      }
      made = 1;
    }
#pragma omp section
#pragma omp critical(held)
    {
#pragma omp task shared(begun, made)
      {
        begun = 1;
        while (!made) usleep(100);
        usleep(50000);
      }
      while (!made) usleep(100);
#pragma omp taskwait
    }
  }
  printf("%ld\n", sum);
}

// That tasks are set aside at all.
static void waits(void) {
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 40; ++i) {
#pragma omp task
    usleep(1000);
  }
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  waits();
  if (!strcmp(how, "copies")) copies();
  else if (!strcmp(how, "holder")) holder();
  else return 2;
}
