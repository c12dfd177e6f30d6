/* SPDX-License-Identifier: Apache-2.0 */
/* A region that may wait, as its code says; it computes instead. With an argument its passes wait so many milliseconds, and compute
 * nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  double sum = 0;
  useconds_t us = argc > 1 ? atoi(argv[1]) * 1000 : 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
  for (int i = 0; i < 32; ++i) {
    if (us) usleep(us);
    else
      for (int k = 0; k < 20000000; ++k) sum += 1.0 / (k + i + 1);
  }
  printf("%.3f\n", us ? 0 : sum);
  return 0;
}
