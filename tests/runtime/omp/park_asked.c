/* SPDX-License-Identifier: Apache-2.0 */
/* Work is shared out among as many threads as the program was told there are, and then something happens:
   park_asked dynamic|elsewhere|helpers. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void block(void) { nanosleep(&(struct timespec){0, 50000}, NULL); }

static void *set_here(void *unused) {
  (void)unused;
  omp_set_num_threads(3);
  int size = 0;
#pragma omp parallel
  {
    block();
#pragma omp single
    size = omp_get_num_threads();
  }
  return (void *)(long)(size == 3 && omp_get_max_threads() == 3);
}

static void happens(const char *what) {
  if (!strcmp(what, "dynamic")) {
    omp_set_dynamic(0);
  } else if (!strcmp(what, "elsewhere")) {
    pthread_t other;
    void *as_set = NULL;
    pthread_create(&other, NULL, set_here, NULL);
    pthread_join(other, &as_set);
    printf("set there: %ld\n", (long)as_set);
#ifdef __clang__  /* gcc's run-time alone can do what it makes of it */
  } else {
    int sum = 0;
#pragma omp target nowait map(tofrom : sum)
    sum++;
#pragma omp taskwait
    printf("helped: %d\n", sum);
#endif
  }
}

static int done_by_all_of(int threads) {
  int done = 0;
#pragma omp parallel reduction(+ : done)
  {
    block();
    if (omp_get_thread_num() < threads) done = 1;
  }
  return done == threads;
}

/* A region of one around the one that does it. */
static int done_within_one(int threads) {
  int well = 0;
#pragma omp parallel if (well) shared(well)
  well = done_by_all_of(threads) && omp_get_max_threads() == threads;
#pragma omp parallel num_threads(1) shared(well)
  well += omp_get_max_active_levels() > 1 || done_by_all_of(threads);
  return well;
}

/* What a thread is told in a team that the program sized to just as many threads as there are cores. */
static int told_within_own(void) {
  int told = 0;
#pragma omp parallel num_threads(omp_get_num_procs())
#pragma omp master
  told = omp_get_max_threads();
  return told;
}

int main(int argc, char **argv) {
  (void)argc;
  printf("%d\n", done_by_all_of(omp_get_max_threads()));
  int threads = omp_get_max_threads();
  happens(argv[1]);
  printf("%d\n", done_by_all_of(threads));
  printf("%d\n", done_by_all_of(omp_get_max_threads()));
  printf("%d\n", done_within_one(omp_get_max_threads()));
  printf("%d\n", told_within_own());
  return 0;
}
