/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that sleep. */
#include <unistd.h>

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; ++i)
#pragma omp task
    usleep(2000);
  return 0;
}
