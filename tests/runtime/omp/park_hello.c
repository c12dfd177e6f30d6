/* SPDX-License-Identifier: Apache-2.0 */
/* What every course begins with, and each thread waits a little: as many lines as there are threads without stand-ins. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

int main(void) {
#pragma omp parallel
  {
    nanosleep(&(struct timespec){0, 2000000}, NULL);
    printf("hello: one of %d\n", omp_get_num_threads());
  }
  return 0;
}
