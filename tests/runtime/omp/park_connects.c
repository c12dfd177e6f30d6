/* SPDX-License-Identifier: Apache-2.0 */
/* Each iteration asks a small server. */
#include "short_queue.h"

int main(void) {
  long sum = 0;
  int late = 0;
  start_server();
#pragma omp parallel for schedule(dynamic) reduction(+ : sum, late)
  for (int i = 0; i < clients; ++i) {
    int is_late;
    sum += ask(i, &is_late);
    late += is_late;
  }
  return ends_well(sum, late, clients / 2);
}
