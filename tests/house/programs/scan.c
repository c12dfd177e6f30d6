// SPDX-License-Identifier: Apache-2.0
// A scan and the value that was assigned last: gcc's code calls for them what libomp has only in part.
#include <stdio.h>

int main(void) {
  int values[100], sums[100], sum = 0, last = -1;
  for (int i = 0; i < 100; i++) values[i] = i % 7;
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < 100; i++) {
    sum += values[i];
#pragma omp scan inclusive(sum)
    sums[i] = sum;
  }
#pragma omp parallel for schedule(dynamic) lastprivate(conditional : last)
  for (int i = 0; i < 100; i++)
    if (values[i] == 3) last = i;
  printf("sum %d, last %d\n", sums[99], last);
  return 0;
}
