/* SPDX-License-Identifier: Apache-2.0 */
/* Loops whose passes wait for something, and then take turns: all sorts of them, upwards and downwards, with passes that leave their
   turn out, and one loop begun while others are in the one before. Tells of each in which order it went. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { passes = 240 };
static unsigned long order;
static long turns;

static void waits(long pass) {
  nanosleep(&(struct timespec){0, pass % 16 == 0 ? 900000 : 200000}, NULL);
}
static void turn(long pass) {
  order = order * 1000003 + (unsigned long)pass;
  ++turns;
}
static void told(const char *loop) {
  printf("%s: %ld turns, %lx\n", loop, turns, order);
  order = 0;
  turns = 0;
}

#define LOOP(NAME, SCHEDULE, FROM, WHILE, NEXT, TYPE, IF)              \
  {                                                                    \
    _Pragma("omp parallel") {                                          \
      _Pragma(SCHEDULE) for (TYPE i = FROM; WHILE; NEXT) {             \
        waits((long)i);                                                \
        if (IF) {                                                      \
          _Pragma("omp ordered")                                       \
          turn((long)i);                                               \
        }                                                              \
      }                                                                \
    }                                                                  \
    told(NAME);                                                        \
  }

int main(void) {
  LOOP("dynamic", "omp for ordered schedule(dynamic)", 0, i < passes, ++i, int, 1)
  LOOP("pieces of 7", "omp for ordered schedule(dynamic, 7)", 0, i < passes, ++i, long, 1)
  LOOP("static pieces", "omp for ordered schedule(static, 3)", 5, i < passes, i += 2, int, 1)
  LOOP("static", "omp for ordered schedule(static)", 0, i < passes / 4, ++i, int, 1)
  LOOP("guided", "omp for ordered schedule(guided)", 0, i < passes / 2, ++i, unsigned, 1)
  omp_set_schedule(omp_sched_dynamic, 2);
  LOOP("as set", "omp for ordered schedule(runtime)", 0, i < passes, ++i, int, 1)
  LOOP("downwards", "omp for ordered schedule(dynamic)", passes, i > 0, i -= 3, long, 1)
  LOOP("far up", "omp for ordered schedule(dynamic)", 1ull << 63, i < (1ull << 63) + passes, ++i, unsigned long long, 1)
#ifdef __clang__  /* by gcc, with libomp alone, it has no pass at all */
  LOOP("far down", "omp for ordered schedule(dynamic)", (1ull << 63) + passes / 4, i > 1ull << 63, --i, unsigned long long, 1)
#endif
  LOOP("some without a turn", "omp for ordered schedule(dynamic)", 0, i < passes, ++i, int, i % 3)
  LOOP("none with a turn", "omp for ordered schedule(dynamic, 2)", 0, i < passes, ++i, int, i < 0)
  long within = 0;
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < passes; ++i) {
    long sum = 0;
    waits(i);
#pragma omp parallel for ordered schedule(dynamic) firstprivate(i)
    for (int j = 0; j < 3; ++j) {
#pragma omp ordered
      sum = sum * 10 + i + j;
    }
#pragma omp ordered
    {
      turn(i);
      within = within * 1000003 + sum;
    }
  }
  told("with one in each pass");
  printf("%lx\n", (unsigned long)within);
  long second = 0;
#pragma omp parallel
  {
#pragma omp for ordered schedule(dynamic) nowait
    for (int i = 0; i < passes; ++i) {
      waits(i);
#pragma omp ordered
      turn(i);
    }
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < passes; ++i) {
      waits(i);
#pragma omp ordered
      second = second == i ? i + 1 : -1;
    }
  }
  told("one while others are in the one before");
  printf("%ld\n", second);
  return 0;
}
