/* SPDX-License-Identifier: Apache-2.0 */
/* Each case in an OpenMP task of its own; or, with MATRIX_LOOP set, in a turn of a loop. */
#include <stdlib.h>

#include "effect.h"

int the_effect;

void each(int count, void (*body)(int)) {
  if (getenv("MATRIX_LOOP")) {
    int threads = the_effect ? 1 : 4;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int i = 0; i < count; ++i) body(i);
    return;
  }
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < count; ++i) {
#pragma omp task firstprivate(i)
    body(i);
    if (the_effect) {
#pragma omp taskwait
    }
  }
}
