// SPDX-License-Identifier: Apache-2.0
// Says by an old name that teams may be nested.
#include <omp.h>
#include <stdio.h>

int main(void) {
  omp_set_nested(1);
  printf("nested %d\n", omp_get_nested());
  return 0;
}
