/* SPDX-License-Identifier: Apache-2.0 */
/* Where cancelling is off, as it is unless the user asks for it, its directives do nothing: in tasks that went on on another thread, too.
   The compiler keeps the number of the thread that a task began on. */
#include <stdio.h>
#include <time.h>

static void wait_a_little(int i) { nanosleep(&(struct timespec){0, 200000 + 50000 * (i % 5)}, NULL); }

int main(void) {
  int tied = 0, untied_ones = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < 200; ++i) {
#pragma omp task untied shared(untied_ones)
      {
        wait_a_little(i);
#pragma omp cancellation point taskgroup
        wait_a_little(i + 1);
#pragma omp atomic
        ++untied_ones;
#pragma omp cancel taskgroup
        wait_a_little(i + 2);
#pragma omp atomic
        ++untied_ones;
      }
#pragma omp task shared(tied)
      {
        wait_a_little(i);
#pragma omp cancellation point taskgroup
#pragma omp atomic
        ++tied;
      }
    }
  }
  printf("%d %d\n", tied, untied_ones);
  return 0;
}
