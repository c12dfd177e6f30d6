/* SPDX-License-Identifier: Apache-2.0 */
/* Loops shared out beforehand, by the compiler and by hand: each bears a team of its own size, beside one that computes. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

static double roots[4000];
static void nap(void) { nanosleep(&(struct timespec){0, 50000}, NULL); }

static long shared_out(int n) {
  long sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < n; ++i) nap(), sum += i;
  return sum;
}
static long in_chunks(long n) {
  long sum = 0;
#pragma omp parallel for schedule(static, 3) reduction(+ : sum)
  for (long i = 0; i < n; ++i) nap(), sum += i;
  return sum;
}
static long by_hand(long n) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    long threads = omp_get_num_threads(), me = omp_get_thread_num();
    for (long i = n * me / threads; i < n * (me + 1) / threads; ++i) nap(), sum += i;
  }
  return sum;
}
static long in_steps(long n) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  for (long i = omp_get_thread_num(); i < n; i += omp_get_num_threads()) nap(), sum += i;
  return sum;
}

int main(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 4000; ++i) roots[i] = i * 0.5;
  printf("%ld %ld %ld %ld %.0f\n", shared_out(200), in_chunks(200), by_hand(200), in_steps(200), roots[3999]);
  return 0;
}
