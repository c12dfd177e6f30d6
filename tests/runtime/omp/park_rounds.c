/* SPDX-License-Identifier: Apache-2.0 */
/* A sum of floating-point numbers, of a loop that is shared out by the number of threads: that number decides what is added to what, and
   so how it is rounded. (gcc's threads add theirs as they come: with more than two fewer DIGITS are the same each time.) `whole`: the same of whole numbers, which are not rounded. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { items = 2000 };

static void wait_at_times(int i) {
  if (i % 10 == 0) nanosleep(&(struct timespec){0, 100000}, NULL);
}

static double sum(void) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < items; ++i) {
    wait_at_times(i);
    sum += 1.0 / (i * i * 0.37 + 1.1);
  }
  return sum;
}

static long whole(void) {
  long sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < items; ++i) {
    wait_at_times(i);
    sum += (long)(1e6 / (i * i * 0.37 + 1.1));
  }
  return sum;
}

int main(int argc, char **argv) {
  (void)argv;
  int digits = atoi(getenv("DIGITS"));
  for (int run = 0; run < 4; ++run) {
    if (argc > 1) printf("%ld\n", whole());
    else printf("%.*g\n", digits, sum());
  }
  return 0;
}
