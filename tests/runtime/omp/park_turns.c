/* SPDX-License-Identifier: Apache-2.0 */
/* One region that waits in some of its runs and not in others: what the last ones did says how many threads the next one has. */
#include <stdio.h>
#include <unistd.h>

static long region(int waits) {
  long sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < 64; ++i) {
    if (waits) usleep(1000);
    sum += i;
  }
  return sum;
}

int main(void) {
  const int waits[] = {0, 0, 1, 1, 0, 1};
  for (int run = 0; run < 6; ++run) printf("%ld\n", region(waits[run]));
  return 0;
}
