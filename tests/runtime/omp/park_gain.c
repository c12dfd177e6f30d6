/* SPDX-License-Identifier: Apache-2.0 */
/* Passes that wait, all at a time: where they are no more than the team has threads of its own, there is nothing to gain. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int passes = argc > 1 ? atoi(argv[1]) : 2;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < passes; ++i) usleep(200000);
  printf("%d\n", passes);
  return 0;
}
