/* SPDX-License-Identifier: Apache-2.0 */
/* A loop that is cancelled, and sections behind it, of which LLVM's libomp runs none. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
  int begun = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 1000; i++) {
      usleep(50);
#pragma omp cancel for if (i == 3)
    }
  }
#pragma omp parallel
#pragma omp sections
  {
#pragma omp section
    {
#pragma omp atomic
      begun++;
#pragma omp cancel sections
    }
#pragma omp section
    {
      usleep(2000);
#pragma omp cancellation point sections
    }
  }
  printf("%d of them, cancellation %d\n", begun, omp_get_cancellation());
  return 0;
}
