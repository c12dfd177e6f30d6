/* SPDX-License-Identifier: Apache-2.0 */
/* One thread makes many tasks that wait for a moment; the others of a large team fetch them, all through one lock of the
   runtime's. Who sleeps in the queue for that lock holds up all behind: then the thread that makes them runs most itself. */
#define _GNU_SOURCE
#include <omp.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { tasks = 20000, most_threads = 1024, large_team = 16 };
static int run_by[most_threads];

int main(void) {
  int ends[2], maker = 0, team = 0, run = 0;
  if (pipe(ends)) return 2;
#pragma omp parallel
#pragma omp single
  {
    maker = omp_get_thread_num();
    team = omp_get_num_threads();
    for (int i = 0; i < tasks; ++i) {
#pragma omp task
      {
        struct pollfd nothing = {.fd = ends[0], .events = POLLIN};
        struct timespec moment = {0, 100000};
        ppoll(&nothing, 1, &moment, NULL);
        ++run_by[omp_get_thread_num()];
      }
    }
  }
  for (int i = 0; i < most_threads; ++i) run += run_by[i];
  printf("%d tasks\n", run);
  if (team >= large_team && run_by[maker] > tasks / 3) {
    printf("of a team of %d, the thread that made the tasks ran %d itself\n", team, run_by[maker]);
    return 1;
  }
  return 0;
}
