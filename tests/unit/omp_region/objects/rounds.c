/* SPDX-License-Identifier: Apache-2.0 */
/* Regions that make a sum. Those of rounded_ ones depend on the number of threads, those of exact_ ones on nothing, or on chance. */
#include <omp.h>
#include <unistd.h>

static double reads(int i) {
  char byte = 0;
  pread(0, &byte, 1, i);
  return byte / 3.0;
}

double rounded_sum(void) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += reads(i);
  return sum;
}

float rounded_product(void) {
  float product = 1;
#pragma omp parallel for schedule(static) reduction(* : product)
  for (int i = 0; i < 100; ++i) product *= (float)reads(i);
  return product;
}

long double rounded_long(void) {
  long double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += reads(i);
  return sum;
}

void rounded_two(double *of) {
  double sum = 0, squares = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum, squares)
  for (int i = 0; i < 100; ++i) {
    double x = reads(i);
    sum += x;
    squares += x * x;
  }
  of[0] = sum;
  of[1] = squares;
}

void rounded_by_hand(double *of) {
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) mine += reads(i);
#pragma omp critical
    *of += mine;
  }
}

void rounded_at_once(double *of) {
#pragma omp parallel
  {
    double mine = 0;
    for (int i = omp_get_thread_num(); i < 100; i += omp_get_num_threads()) mine += reads(i);
#pragma omp atomic
    *of += mine;
  }
}

void by_thread_table(double *of) {
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    for (int i = me; i < 100; i += omp_get_num_threads()) of[me] += reads(i);
  }
}

long exact_count(void) {
  long sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += reads(i) * 3 > 7;
  return sum;
}

double exact_most(void) {
  double most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (int i = 0; i < 100; ++i) {
    double x = reads(i);
    if (x > most) most = x;
  }
  return most;
}

void exact_each(double *of) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 100; ++i) of[i] = reads(i) * 2.5 + 1;
}

double exact_by_chance(void) {
  double sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += reads(i);
  return sum;
}
