// SPDX-License-Identifier: Apache-2.0
// A team of one runs each task where it is created, to its end: one that blocks is over before the next begins. Knows
// nothing of weir.
#include <stdio.h>
#include <time.h>

static void block(void) {
  struct timespec t = {0, 1000000};
  nanosleep(&t, NULL);
}

static int order[64], at;

static void tasks(int n) {
  for (int i = 0; i < n; i++)
#pragma omp task firstprivate(i)
  {
    order[at++] = 2 * i;
    block();
    order[at++] = 2 * i + 1;
  }
}

static void show(const char *name) {
  printf("%s:", name);
  for (int i = 0; i < at; i++) printf(" %d", order[i]);
  puts("");
  at = 0;
}

// Within another team a run-time may well begin with the last one; but each is over before the next.
static void show_undisturbed(const char *name) {
  int undisturbed = 0;
  for (int i = 0; i < at; i += 2) undisturbed += order[i] + 1 == order[i + 1];
  printf("%s: %d of %d\n", name, undisturbed, at / 2);
  at = 0;
}

int main(void) {
#pragma omp parallel num_threads(1)
  tasks(8);
  show("one asked for");
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
#pragma omp parallel num_threads(1)
    {
      tasks(4);
#pragma omp taskgroup
      tasks(4);
#pragma omp taskwait
      tasks(4);
    }
  }
  show_undisturbed("within a task");
  // Where tasks may be set aside, some are.
  long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 20; i++)
#pragma omp task shared(sum)
  {
    block();
#pragma omp atomic
    sum++;
  }
  printf("%ld\n", sum);
}
