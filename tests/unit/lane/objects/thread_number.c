/* SPDX-License-Identifier: Apache-2.0 */
#include <omp.h>

int weir_test_thread_number(int *buffer) {
#pragma omp parallel
  buffer[omp_get_thread_num()] = 1;
  return buffer[0];
}
