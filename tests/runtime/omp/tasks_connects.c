/* SPDX-License-Identifier: Apache-2.0 */
/* Each task asks a small server. */
#include "short_queue.h"

static long sum;
static int late;

static void ask_in_task(int i) {
  int is_late, told = ask(i, &is_late);
#pragma omp atomic
  sum += told;
#pragma omp atomic
  late += is_late;
}

int main(void) {
  start_server();
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < clients; ++i) {
#pragma omp task
    ask_in_task(i);
  }
  return ends_well(sum, late, clients / 2);  /* where none makes room for another it is nearly all */
}
