/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the program's own, one after the other, each with a loop that waits: libomp starts a team for each. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#ifdef KEPT /* one size for all */
long kept;
#pragma omp threadprivate(kept)
#define KEEP(i) (kept = (i))
#else
#define KEEP(i) (i)
#endif

static void nap(void) { nanosleep(&(struct timespec){0, 2000000}, NULL); }

static void* fork_team(void* sum_) {
  long sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < 20; ++i) nap(), sum += KEEP(i);
  *(long*)sum_ += sum;
  return NULL;
}

int main(void) {
  long sum = 0;
  for (int i = 0; i < 4; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, fork_team, &sum) || pthread_join(thread, NULL)) return 2;
  }
  printf("%ld\n", sum);
  return 0;
}
