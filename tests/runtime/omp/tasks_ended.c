// SPDX-License-Identifier: Apache-2.0
// Threads of the program's own begin and end, four at a time, and each has a team of three for its tasks: the team's other two free
// what they did for a thread that may have ended by the time they free something of another one. Argument: what tasks; those that
// `depend` on others see how far these came, and those that talk answer one that they do not depend on.
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

static void* has_tasks_done_at_once(void* sum) {
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < tasks; ++i) {
#pragma omp task firstprivate(i) if (0)
    {
#pragma omp task firstprivate(i)
      add(sum, i);
    }
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

static void step(long* to, long from, long what) {
  usleep(100);
  *to = (*to + from) % 1000 + what;
}

// A chain for each of five cells, each of which is read by the one to its right; some are done at once, and some waited for.
static void* has_tasks_in_order(void* sum) {
  long cells[6] = {0}, expected[6] = {0}, seen = 0, both = 0;
  for (int i = 0; i < tasks; ++i) expected[i % 5 + 1] = (expected[i % 5 + 1] + expected[i % 5]) % 1000 + i;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
    for (int i = 0; i < tasks; ++i) {
      long* cell = &cells[i % 5];
#pragma omp task firstprivate(i, cell) depend(in: cell[0]) depend(inout: cell[1]) if (i % 7 != 6)
      step(&cell[1], cell[0], i);
    }
#pragma omp task shared(both) depend(mutexinoutset: both)
    step(&both, 0, 1);
#pragma omp task shared(both) depend(mutexinoutset: both)
    step(&both, 0, 1);
#pragma omp taskwait depend(in: cells[3], both)
    seen = cells[3] - expected[3] + both;
#pragma omp task firstprivate(sum) depend(out: seen)
    {
#pragma omp task firstprivate(sum) depend(out: sum)
      add(sum, 150);
#pragma omp task firstprivate(sum) depend(in: sum)
      add(sum, 38);
    }
  }
  if (seen != 2 || memcmp(cells, expected, sizeof cells)) abort();
  add(sum, 2);
  return NULL;
}

static void* has_tasks_that_talk(void* sum) {
  int ends[2];
  long others[2] = {0};
  if (pipe(ends)) abort();
#pragma omp parallel num_threads(3)
#pragma omp single
  {
#pragma omp task firstprivate(sum) shared(others) depend(inout: others[0])
    {
      char c;
      add(sum, read(ends[0], &c, 1));
    }
#pragma omp task firstprivate(sum) shared(others) depend(inout: others[1])
    add(sum, 188 + write(ends[1], "x", 1));
  }
  close(ends[0]);
  close(ends[1]);
  return NULL;
}

// What is left of a cancelled group does not begin.
static void* has_tasks_cancelled(void* sum) {
  long in_order = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < tasks; ++i) {
#pragma omp task firstprivate(i) shared(in_order) depend(inout: in_order)
    {
      step(&in_order, 0, 1);
      if (i == 0) {
        usleep(2000);
#pragma omp cancel taskgroup
      }
    }
  }
  if (!in_order) abort();
  add(sum, 190);
  return NULL;
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "tasks";
  void* (*work)(void*) = !strcmp(what, "taskloop") ? has_a_loop_of_tasks
                         : !strcmp(what, "at_once") ? has_tasks_done_at_once
                         : !strcmp(what, "depend") ? has_tasks_in_order
                         : !strcmp(what, "cancel") ? has_tasks_cancelled
                         : !strcmp(what, "talk")   ? has_tasks_that_talk
                                                   : has_tasks;
  long sum = 0;
  for (int i = 0; i < rounds; ++i) {
    pthread_t threads[at_once];
    for (int k = 0; k < at_once; ++k)
      if (pthread_create(&threads[k], NULL, work, &sum)) abort();
    for (int k = 0; k < at_once; ++k) pthread_join(threads[k], NULL);
  }
  printf("%ld\n", sum);
}
