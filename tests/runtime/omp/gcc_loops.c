// SPDX-License-Identifier: Apache-2.0
// Loops by gcc over unsigned long, upwards and downwards, with each schedule: which iterations ran, and which was the last.
#include <omp.h>
#include <stdio.h>

enum { most = 128 };
static int ran[most];
static unsigned long last;

static void tell(const char *what) {
  int any = 0;
  printf("%s:", what);
  for (int i = 0; i < most; i++)
    if (ran[i]) printf(ran[i] == 1 ? " %d" : " %d(!)", i), ran[i] = 0, any = 1;
  if (any) printf("; last %lu", last);
  putchar('\n');
}

#define RAN(i)           \
  {                      \
    last = (i);          \
    _Pragma("omp atomic") \
    ran[i]++;            \
  }

#define LOOPS(schedule)                                                                                    \
  do {                                                                                                     \
    _Pragma(schedule) for (unsigned long i = n; i > 0; --i) RAN(i)                                          \
    _Pragma("omp single") tell("down to 1, " schedule);                                                     \
    _Pragma(schedule) for (unsigned long i = n; i >= 5; i -= 7) RAN(i)                                      \
    _Pragma("omp single") tell("down by 7, " schedule);                                                     \
    _Pragma(schedule) for (unsigned long i = 3; i > n; i -= 2) RAN(i)                                       \
    _Pragma("omp single") tell("down, none, " schedule);                                                    \
    _Pragma(schedule) for (unsigned long i = 0; i < n; i += 9) RAN(i)                                       \
    _Pragma("omp single") tell("up by 9, " schedule);                                                       \
  } while (0)

static void loops(unsigned long n) {
  LOOPS("omp for schedule(dynamic) lastprivate(last)");
  LOOPS("omp for schedule(monotonic:dynamic, 3) lastprivate(last)");
  LOOPS("omp for schedule(guided) lastprivate(last)");
  LOOPS("omp for schedule(monotonic:guided, 2) lastprivate(last)");
  LOOPS("omp for schedule(runtime) lastprivate(last)");
  LOOPS("omp for schedule(monotonic:runtime) lastprivate(last)");
  LOOPS("omp for schedule(nonmonotonic:runtime) lastprivate(last)");
  LOOPS("omp for schedule(static) lastprivate(last)");
  LOOPS("omp for schedule(static, 4) lastprivate(last)");
}

// Each schedule with `ordered`: the order of the iterations.
#define ORDERED(schedule)                              \
  do {                                                 \
    _Pragma("omp single") printf("%s:", schedule);     \
    _Pragma(schedule) for (unsigned long i = n; i > 2; i -= 3) { \
      _Pragma("omp ordered") printf(" %lu", i);        \
    }                                                  \
    _Pragma("omp single") putchar('\n');               \
  } while (0)

static void ordered(unsigned long n) {
  ORDERED("omp for ordered schedule(static)");
  ORDERED("omp for ordered schedule(static, 2)");
  ORDERED("omp for ordered schedule(dynamic)");
  ORDERED("omp for ordered schedule(dynamic, 2)");
  ORDERED("omp for ordered schedule(guided)");
  ORDERED("omp for ordered schedule(runtime)");
}

// From and to the ends of what the type holds.
static void ends(void) {
  static unsigned long count, sum;
#pragma omp for schedule(dynamic, 5) reduction(+ : count, sum)
  for (unsigned long i = ~0ul; i > ~0ul - 100; --i) count++, sum += ~0ul - i;
#pragma omp single
  printf("from the top: %lu, %lu\n", count, sum);
#pragma omp for schedule(guided) reduction(+ : count, sum)
  for (unsigned long i = ~0ul; i > 1ul << 60; i -= 1ul << 60) count++, sum += i >> 60;
#pragma omp single
  printf("in long steps: %lu, %lu\n", count, sum);
#pragma omp for collapse(2) schedule(dynamic, 3) reduction(+ : count, sum)
  for (unsigned long i = 9; i > 0; --i)
    for (unsigned long j = 20; j > 10; j -= 3) count++, sum += i * j;
#pragma omp single
  printf("two loops: %lu, %lu\n", count, sum);
}

// What each task adds.
static void with_tasks(unsigned long n) {
  static long sum;
#pragma omp for schedule(dynamic, 2) reduction(task, + : sum)
  for (unsigned long i = n; i > 0; --i) {
#pragma omp task in_reduction(+ : sum)
    sum += (long)i;
  }
#pragma omp single
  printf("tasks: %ld\n", sum);
#pragma omp for ordered schedule(guided) reduction(task, + : sum)
  for (unsigned long i = n; i > 0; i -= 4) {
#pragma omp task in_reduction(+ : sum)
    sum += (long)i;
#pragma omp ordered
    putchar('.');
  }
#pragma omp single
  printf("ordered ones: %ld\n", sum);
}

int main(void) {
#pragma omp parallel
  {
    loops(100);
    ordered(50);
    ends();
    with_tasks(40);
  }
  loops(60);  // in no team
  ordered(30);
  return 0;
}
