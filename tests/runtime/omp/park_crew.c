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

static long piece(int i) {
  wait_us(20);
  return (long)(compute(60000) * 1000) + i;
}

static long busy(int pieces) {
  long sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < pieces; ++i) sum += piece(i);
  return sum;
}

static long guided(int pieces) {
  long sum = 0;
#pragma omp parallel for schedule(guided) reduction(+ : sum)
  for (long i = 0; i < pieces; ++i) sum += piece((int)i);
  return sum;
}

/* Here and below, pieces that are each some thread's own. */
static long runtime(int pieces) {
  long sum = 0;
  omp_set_schedule(omp_sched_static, 3);
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < pieces; ++i) sum += piece(i);
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

struct order {
  long last, wrong;
};
static void in_order(struct order *order, int i) {
  compute(40000);
  wait_us(10);
#pragma omp ordered
  {
    order->wrong += order->last != i - 1;
    order->last = i;
  }
}

static long ordered(void) {
  struct order order = {-1, 0};
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < 800; ++i) in_order(&order, i);
  return order.wrong;
}

static long ordered_static(void) {
  struct order order = {-1, 0};
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < 800; ++i) in_order(&order, i);
  return order.wrong;
}

static long doacross(void) {
  static long values[801];
  values[0] = 1;
#pragma omp parallel for ordered(1) schedule(dynamic)
  for (int i = 1; i <= 800; ++i) {
    compute(40000);
    wait_us(10);
#pragma omp ordered depend(sink : i - 1)
    values[i] = values[i - 1] + i;
#pragma omp ordered depend(source)
  }
  return values[800];
}

/* Where cancelling is on, all threads leave the first loop early, and then run the second. (libomp bears no cancelled loop of the
 * nonmonotonic kind.) */
static long cancelled(void) {
  long done = 0, sum = 0;
#pragma omp parallel
  {
#pragma omp for schedule(monotonic : dynamic) reduction(+ : done)
    for (int i = 0; i < 3000; ++i) {
      done += piece(i) > 0;
      if (i == 1500) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp for schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) sum += piece(i);
  }
  return omp_get_cancellation() ? done < 3000 ? sum : -1 : done + sum;
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
  printf("dynamic %ld\n", busy(2500));
  printf("dynamic, again %ld\n", busy(1500));
  printf("guided %ld\n", guided(1500));
  printf("runtime %ld\n", runtime(1000));
  printf("pipes %ld\n", pipes(1000));
  printf("turns %ld\n", turns());
  printf("loops %ld\n", one_after_the_other());
  printf("ordered %ld\n", ordered());
  printf("ordered, static %ld\n", ordered_static());
  printf("doacross %ld\n", doacross());
  printf("cancelled %ld\n", cancelled());
  printf("teams within %ld\n", inner_teams());
  return 0;
}
