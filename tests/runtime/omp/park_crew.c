/* SPDX-License-Identifier: Apache-2.0 */
/* Loops whose pieces threads take as they come, and that keep the cores busy: of a large team a few threads do. And what must
 * not come to a stop when they do: pieces that wait for each other, waits that begin all at once, loops that follow each other
 * without a barrier, or are cancelled, or lie in a team within the team. Prints the same, and ends. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void wait_us(long us) { nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL); }

static double compute(int passes) {
  double sum = 0;
  for (int i = 1; i <= passes; ++i) sum += 1.0 / i / i;
  return sum;
}

static long busy(int pieces, const char *schedule) {
  long sum = 0;
  omp_set_schedule(schedule[0] == 'g' ? omp_sched_guided : omp_sched_dynamic, 1);
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < pieces; ++i) {
    wait_us(20);
    sum += (long)(compute(60000) * 1000) + i;
  }
  return sum;
}

/* Every odd piece waits for its even neighbour, over a pipe. */
static long pipes(int pieces) {
  int(*ends)[2] = malloc(sizeof *ends * (size_t)pieces / 2);
  for (int i = 0; i < pieces / 2; ++i) {
    if (pipe(ends[i])) abort();
  }
  long sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < pieces; ++i) {
    char byte = 0;
    if (i % 2 == 0) {
      sum += (long)compute(100000);
      if (write(ends[i / 2][1], "x", 1) != 1) abort();
    } else {
      if (read(ends[i / 2][0], &byte, 1) != 1) abort();
      sum += byte == 'x';
    }
  }
  for (int i = 0; i < pieces / 2; ++i) close(ends[i][0]), close(ends[i][1]);
  free(ends);
  return sum;
}

/* The same loop: at first it computes, then it waits. */
static long turns(void) {
  long sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < 2000; ++i) {
    if (i % 1000 < 900) sum += (long)compute(30000), wait_us(10);
    else sum += 2, wait_us(5000);
  }
  return sum;
}

static long one_after_the_other(void) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  for (int round = 0; round < 8; ++round) {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 100; ++i) sum += (long)compute(20000), wait_us(10);
#pragma omp for schedule(guided)
    for (unsigned long long i = 0; i < 300; ++i) sum += (long)compute(10000), wait_us(10);
  }
  return sum;
}

static long ordered(void) {
  long last = -1, wrong = 0;
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < 800; ++i) {
    compute(40000);
    wait_us(10);
#pragma omp ordered
    {
      wrong += last != i - 1;
      last = i;
    }
  }
  return wrong;
}

static long inner_teams(void) {
  long sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < 400; ++i) {
    long within = 0;
    wait_us(20);
#pragma omp parallel for schedule(dynamic) reduction(+ : within)
    for (int j = 0; j < 20; ++j) within += (long)compute(5000);
    sum += within;
  }
  return sum;
}

int main(void) {
  printf("dynamic %ld\n", busy(2500, "dynamic"));
  printf("dynamic, again %ld\n", busy(1500, "dynamic"));
  printf("guided %ld\n", busy(1500, "guided"));
  printf("pipes %ld\n", pipes(1000));
  printf("turns %ld\n", turns());
  printf("loops %ld\n", one_after_the_other());
  printf("ordered %ld\n", ordered());
  printf("teams within %ld\n", inner_teams());
  return 0;
}
