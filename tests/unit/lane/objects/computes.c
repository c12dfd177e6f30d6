/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double weir_test_computes(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  strcpy(copy, text);
  double value = sqrt(strtod(copy, NULL));
  printf("%g\n", value);
  free(copy);
  return value;
}
