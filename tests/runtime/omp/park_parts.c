/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that never ask which thread it is, but how many there are. */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { items = 300 };
static long sum;

static void work(int i) {
  nanosleep(&(struct timespec){0, 50000}, NULL);
  __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
}

/* Each thread a part of its own, whichever it is: there are as many as it divides by. */
static void divides(void) {
  long done = 0;
#pragma omp parallel reduction(+ : done)
  {
    int each = items / omp_get_num_threads();
    for (int k = 0; k < each; ++k) {
      work(k);
      ++done;
    }
  }
  printf("%ld parts\n", done);
}

/* A list of work to which its parts add, until all threads find nothing. */
static void until_all_are_idle(void) {
  int left = 1, idle = 0, done = 0;
#pragma omp parallel
  {
    int was_idle = 0, all_idle = 0;
    while (!all_idle) {
      int piece = 0;
#pragma omp critical
      {
        if (left > 0) {
          --left;
          piece = ++done;
          if (was_idle) --idle;
          was_idle = 0;
        } else if (!was_idle) {
          ++idle;
          was_idle = 1;
        }
        all_idle = idle == omp_get_num_threads();
      }
      if (piece) {
        work(piece);
        if (piece < items / 2) {
#pragma omp critical
          left += 2;
        }
      } else {
        nanosleep(&(struct timespec){0, 50000}, NULL);
      }
    }
  }
  printf("%d done\n", done);
}

int main(int argc, char **argv) {
  for (int run = 0; argc > 1 && run < 4; ++run) strcmp(argv[1], "divides") ? until_all_are_idle() : divides();
  printf("sum %ld\n", sum);
  return 0;
}
