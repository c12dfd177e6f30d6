/* SPDX-License-Identifier: Apache-2.0 */
/* Every construct of OpenMP whose outcome a program may rely on at any team size, with a call that waits in each region.
 * Prints the same whatever the size is. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { items = 60 };

static int failures;
#define CHECK(what)                                        \
  do {                                                     \
    if (!(what)) {                                         \
      printf("line %d: not %s\n", __LINE__, #what);        \
      __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);  \
    }                                                      \
  } while (0)

static void wait_a_little(void) { nanosleep(&(struct timespec){0, 50000}, NULL); }

static void loops(void) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < items; ++i) wait_a_little(), sum += i * i;
  printf("default %ld\n", sum);
  sum = 0;
#pragma omp parallel for schedule(static, 3) reduction(+ : sum)
  for (int i = 0; i < items; ++i) wait_a_little(), sum += i * i;
  printf("static,3 %ld\n", sum);
  sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < items; ++i) wait_a_little(), sum += i * i;
  printf("dynamic %ld\n", sum);
  sum = 0;
#pragma omp parallel for schedule(guided, 2) reduction(+ : sum)
  for (int i = 0; i < items; ++i) wait_a_little(), sum += i * i;
  printf("guided %ld\n", sum);
  sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < items; ++i) wait_a_little(), sum += i * i;
  printf("runtime %ld\n", sum);
  sum = 0;
#pragma omp parallel for collapse(2) schedule(nonmonotonic : dynamic, 2) reduction(+ : sum)
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) wait_a_little(), sum += i * j;
  printf("collapse %ld\n", sum);
}

/* Without a chunk, thread t of n has the t-th of n contiguous parts, the larger ones first: a function of the team's size. */
static void static_mapping(void) {
  int owner[items], again[items], threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp for schedule(static) nowait
    for (int i = 0; i < items; ++i) wait_a_little(), owner[i] = omp_get_thread_num();
    /* The same thread again, in the same region: what `nowait` may rely on. */
#pragma omp for schedule(static)
    for (int i = 0; i < items; ++i) again[i] = owner[i] == omp_get_thread_num();
  }
  for (int i = 0, t = 0, left = items / threads + (0 < items % threads); i < items; ++i, --left) {
    while (left == 0) ++t, left = items / threads + (t < items % threads);
    CHECK(owner[i] == t);
    CHECK(again[i]);
  }
  puts("static mapping");
}

static void reductions(void) {
  long product = 1, least = 1000, most = -1, every = ~0l, any = 0, odd = 0;
  int all = 1, some = 0;
#pragma omp parallel for reduction(* : product) reduction(min : least) reduction(max : most) reduction(& : every) \
    reduction(| : any) reduction(^ : odd) reduction(&& : all) reduction(|| : some)
  for (int i = 1; i <= 20; ++i) {
    wait_a_little();
    product *= i % 4 + 1;
    least = i < least ? i : least;
    most = i > most ? i : most;
    every &= ~(1l << i);
    any |= 1l << i;
    odd ^= i;
    all = all && i > 0;
    some = some || i == 7;
  }
  printf("reductions %ld %ld %ld %lx %lx %ld %d %d\n", product, least, most, every, any, odd, all, some);
  long array[4] = {0};
#pragma omp parallel for reduction(+ : array[:4])
  for (int i = 0; i < items; ++i) wait_a_little(), array[i % 4] += i;
  printf("array reduction %ld %ld %ld %ld\n", array[0], array[1], array[2], array[3]);
}

static void ordered(void) {
  int next = 0;
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < items; ++i) {
    wait_a_little();
#pragma omp ordered
    {
      CHECK(next == i);
      if (i % 8 == 0) wait_a_little();
      ++next;
    }
  }
  printf("ordered %d\n", next);
#ifdef __clang__ /* libomp fails at gcc's doacross loops when there is one thread */
  long cells[items + 1] = {1};
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (int i = 1; i <= items; ++i) {
    wait_a_little();
#pragma omp ordered depend(sink : i - 1)
    cells[i] = cells[i - 1] + i;
#pragma omp ordered depend(source)
  }
  printf("doacross %ld\n", cells[items]);
#endif
}

static void sharing(void) {
  int a = 0, b = 0, c = 0, singles = 0, copies = 0, masters = 0, threads = 0;
#pragma omp parallel sections
  {
#pragma omp section
    wait_a_little(), a = 1;
#pragma omp section
    wait_a_little(), b = 2;
#pragma omp section
    c = 3;
  }
  printf("sections %d %d %d\n", a, b, c);
#pragma omp parallel
  {
    int value = 0;
#pragma omp single copyprivate(value)
    {
      wait_a_little();
      value = 42;
#pragma omp atomic
      ++singles;
    }
#pragma omp atomic
    copies += value == 42;
#pragma omp master
    {
      wait_a_little();
      threads = omp_get_num_threads();
      ++masters;
    }
#pragma omp barrier
    CHECK(threads == omp_get_num_threads());
  }
  CHECK(copies == threads);
  printf("single %d master %d\n", singles, masters);
  int first = 7, last = 0;
#pragma omp parallel for firstprivate(first) lastprivate(last)
  for (int i = 0; i < items; ++i) {
    CHECK(first == 7);
    wait_a_little();
    last = i;
  }
  printf("lastprivate %d\n", last);
}

static void exclusion(void) {
  long plain = 0, locked = 0, nested = 0;
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < items; ++i) {
    wait_a_little();
#pragma omp critical(counted)
    {
      long before = plain;
      if (i % 8 == 0) wait_a_little();
      plain = before + 1;
    }
    omp_set_lock(&lock);
    long before = locked;
    if (i % 8 == 1) wait_a_little();
    locked = before + 1;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    ++nested;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    while (!omp_test_lock(&lock)) {}
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  printf("critical %ld lock %ld nested %ld\n", plain, locked, nested);
}

static long fibonacci(int n) {
  if (n < 2) return n;
  long a, b;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

static void tasks(void) {
  long done = 0, fib = 0, chain = 0, looped = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < items; ++i) {
#pragma omp task
      {
        wait_a_little();
#pragma omp atomic
        ++done;
      }
    }
#pragma omp taskwait
    CHECK(done == items);
    fib = fibonacci(10);
    for (int i = 0; i < 10; ++i) {
#pragma omp task depend(inout : chain)
      {
        wait_a_little();
        chain = chain * 2 + 1;
      }
    }
#pragma omp taskgroup
    {
#pragma omp taskloop grainsize(4) reduction(+ : looped)
      for (int i = 0; i < items; ++i) wait_a_little(), looped += i;
    }
  }
  printf("tasks %ld %ld %ld %ld\n", done, fib, chain, looped);
}

static void cancelled(void) {
  int reached = 0;
  /* (A dynamic loop that is cancelled fails an assertion of libomp's.) */
#pragma omp parallel for schedule(static)
  for (int i = 0; i < items; ++i) {
    wait_a_little();
    if (i == items - 1) {
#pragma omp atomic
      ++reached;
#pragma omp cancel for
    }
#pragma omp cancellation point for
  }
  CHECK(reached == 1);
  puts("cancel");
}

static void levels(void) {
  long inner = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel for schedule(dynamic) reduction(+ : inner)
  for (int i = 0; i < 4; ++i) {
    wait_a_little();
#pragma omp parallel for num_threads(2) reduction(+ : inner)
    for (int j = 0; j < 6; ++j) wait_a_little(), inner += i * j;
  }
  printf("nested %ld\n", inner);
  omp_set_max_active_levels(1);
  long outside = 0;
#pragma omp teams num_teams(2) reduction(+ : outside)
  {
#pragma omp distribute parallel for reduction(+ : outside)
    for (int i = 0; i < items; ++i) wait_a_little(), outside += i;
  }
  printf("teams %ld\n", outside);
  int wrong = 0;
#pragma omp parallel num_threads(3)
  {
    wait_a_little();
#pragma omp atomic
    wrong += omp_get_num_threads() != 3;
  }
#pragma omp parallel num_threads(5) proc_bind(spread)
  {
    wait_a_little();
#pragma omp atomic
    wrong += omp_get_num_threads() != 5;
  }
#pragma omp parallel if (wrong > 0)
  {
    wait_a_little();
#pragma omp atomic
    wrong += omp_get_num_threads() != 1;
  }
  CHECK(wrong == 0 || omp_get_thread_limit() < 5 || omp_get_dynamic());
  puts("sizes");
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  for (int round = 0; round < rounds; ++round) {
    loops();
    static_mapping();
    reductions();
    ordered();
    sharing();
    exclusion();
    tasks();
    cancelled();
    levels();
  }
  printf("failures %d\n", failures);
  return failures ? 1 : 0;
}
