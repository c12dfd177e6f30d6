/* SPDX-License-Identifier: Apache-2.0 */
/* Passes of a loop that wait for the one before (`ordered(1)`), and sleep: of a region that is run again and again. With an argument the
   loop is not to be seen in the region's code. */
#include <stdio.h>
#include <time.h>

enum { runs = 4, passes = 50 };
static long cells[passes + 1];

static void loop(void) {
#pragma omp for ordered(1) schedule(dynamic)
  for (int i = 1; i <= passes; ++i) {
    nanosleep(&(struct timespec){0, 500000}, NULL);
#pragma omp ordered depend(sink : i - 1)
    cells[i] += cells[i - 1] + i;
#pragma omp ordered depend(source)
  }
}

int main(int count, char **words) {
  void (*volatile anything)(void) = loop;
  for (int run = 0; run < runs; ++run) {
    if (count > 1) {
#pragma omp parallel
      anything();
    } else {
#pragma omp parallel
      loop();
    }
    printf("%s%d: %ld\n", words[1] ? words[1] : "run ", run, cells[passes]);
  }
  return 0;
}
