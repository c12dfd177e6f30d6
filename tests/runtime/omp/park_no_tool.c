/* SPDX-License-Identifier: Apache-2.0 */
/* What a program is told that speaks to its OpenMP tool, and has none: before a region that waits, within it, and after it. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

int main(void) {
  printf("before %d\n", omp_control_tool(omp_control_tool_start, 0, NULL));
  int within = 0, others = 0;
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) {
    nanosleep(&(struct timespec){0, 50000}, NULL);
    int said = omp_control_tool(omp_control_tool_flush, 0, NULL);
    if (i == 0) within = said;
    if (said != omp_control_tool_notool) {
#pragma omp atomic
      ++others;
    }
  }
  printf("within %d, others %d\n", within, others);
  printf("after %d\n", omp_control_tool(omp_control_tool_end, 0, NULL));
  return 0;
}
