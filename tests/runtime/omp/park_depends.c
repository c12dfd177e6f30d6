/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that wait by dependences, run by threads that stand at a region's last barrier. libomp keeps the word of such a wait where a tool's
   word of the implicit task is from there on, and stops the program if there is one. */
#include <stdio.h>
#include <time.h>

static void wait_a_little(void) { nanosleep(&(struct timespec){0, 500000}, NULL); }

int main(void) {
  int in_order = 0;
#pragma omp parallel
#pragma omp single nowait
  for (int i = 0; i < 40; ++i) {
#pragma omp task shared(in_order)
    {
      int first = 0, second = 0;
#pragma omp task depend(out : first) shared(first)
      {
        wait_a_little();
        first = 1;
      }
#pragma omp taskwait depend(in : first)
      int right = first == 1;
#pragma omp task depend(out : second) shared(second)
      {
        wait_a_little();
        second = 2;
      }
#pragma omp task if (0) depend(in : second) depend(inout : first) shared(first, second)
      first += second;
#pragma omp task depend(in : first) shared(first, second)
      second += first;
#pragma omp taskwait
      right += first == 3 && second == 5;
#pragma omp atomic
      in_order += right;
    }
  }
  printf("%d\n", in_order);
  return 0;
}
