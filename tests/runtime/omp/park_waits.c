/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of one team that wait for each other in ways nobody can see: a pipe, a lock held across a read, one that blocks
 * for long, one that spins. park_waits SECONDS: how long is long. Prints the same, and ends. */
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void wait_us(long us) { nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL); }

static void compute(void) {
  for (volatile int i = 0; i < 20000; ++i) {}
}

/* Every even thread reads what its odd neighbour writes; that one computes first. */
static void pipes(void) {
  static int ends[2048][2];
  for (int i = 0; i < 200; ++i) {
    if (pipe(ends[i])) abort();
  }
  long sum = 0;
#pragma omp parallel for schedule(static, 1) reduction(+ : sum)
  for (int i = 0; i < 400; ++i) {
    char byte = 0;
    if (i % 2 == 0) {
      compute();
      if (write(ends[i / 2][1], "x", 1) != 1) abort();
    } else {
      if (read(ends[i / 2][0], &byte, 1) != 1) abort();
      sum += byte == 'x';
    }
  }
  for (int i = 0; i < 200; ++i) close(ends[i][0]), close(ends[i][1]);
  printf("pipes %ld\n", sum);
}

static void lock_across_a_wait(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  omp_lock_t lock;
  omp_init_lock(&lock);
  long a = 0, b = 0;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 200; ++i) {
    pthread_mutex_lock(&mutex);
    wait_us(50);
    ++a;
    pthread_mutex_unlock(&mutex);
    compute();
    omp_set_lock(&lock);
    wait_us(50);
    ++b;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  printf("locks %ld %ld\n", a, b);
}

/* One iteration blocks for long: the others are through well before. */
static void one_blocks(double seconds) {
  double began = omp_get_wtime(), others = 0;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 300; ++i) {
    wait_us(i == 0 ? (long)(seconds * 1e6) : 100);
    compute();
    double now = omp_get_wtime() - began;
    if (i != 0) {
#pragma omp critical
      others = now > others ? now : others;
    }
  }
  printf("others in time %d\n", others < seconds * 0.9);
}

/* Whoever is not first spins until the first has got through a wait of its own, and counts meanwhile: so nobody tells by the code. */
static void spin(void) {
  int done = 0;
#pragma omp parallel
  {
#pragma omp single nowait
    {
      wait_us(1000);
      compute();
      __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    }
    for (volatile long spun = 0; !__atomic_load_n(&done, __ATOMIC_ACQUIRE); ++spun) sched_yield();
  }
  printf("spinners %d\n", done);
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? atof(argv[1]) : 2;
  pipes();
  lock_across_a_wait();
  one_blocks(seconds);
  spin();
  return 0;
}
