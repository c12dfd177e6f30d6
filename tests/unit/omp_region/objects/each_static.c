/* SPDX-License-Identifier: Apache-2.0 */
/* The same regions, whose loops are shared out by number. */
#define SHARED "omp for schedule(static)"
#include "each.c"
