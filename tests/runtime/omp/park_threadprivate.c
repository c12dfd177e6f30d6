/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread keeps from one region to the next, and what copyin gives it. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

static int kept;
#pragma omp threadprivate(kept)

static void wait_a_little(void) { nanosleep(&(struct timespec){0, 50000}, NULL); }

int main(void) {
  int lost = 0, wrong = 0;
#pragma omp parallel
  {
    wait_a_little();
    kept = omp_get_thread_num() + 100;
#pragma omp single
    wait_a_little();
  }
#pragma omp parallel
  {
    wait_a_little();
    if (kept != omp_get_thread_num() + 100) {
#pragma omp atomic write
      lost = 1;
    }
#pragma omp single
    if (omp_get_num_threads() != omp_get_max_threads()) lost = 1;
  }
  kept = 7;
#pragma omp parallel copyin(kept)
  {
    wait_a_little();
    if (kept != 7) {
#pragma omp atomic write
      wrong = 1;
    }
#pragma omp single
    if (omp_get_num_threads() != omp_get_max_threads()) wrong = 1;
  }
  printf("lost %d wrong %d\n", lost, wrong);
  return 0;
}
