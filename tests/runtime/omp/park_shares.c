/* SPDX-License-Identifier: Apache-2.0 */
/* Loops shared out beforehand: each bears a team of its own size, beside one that computes. */
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
#ifdef __clang__ /* gcc's look as if a table had an element for each thread */
static long in_chunks(long n) {
  long sum = 0;
#pragma omp parallel for schedule(static, 3) reduction(+ : sum)
  for (long i = 0; i < n; ++i) nap(), sum += i;
  return sum;
}
#else
static long in_chunks(long n) { return n; }
#endif

int main(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 4000; ++i) roots[i] = i * 0.5;
  printf("%ld %ld %ld %.0f\n", shared_out(200), in_chunks(200), shared_out(100), roots[3999]);
  return 0;
}
