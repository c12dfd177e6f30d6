/* SPDX-License-Identifier: Apache-2.0 */
/* Regions that make a sum. Those of rounded_ ones depend on the number of threads, those of exact_ ones on nothing, or on chance. */
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

static double reads(int i) {
  char byte = 0;
  pread(0, &byte, 1, i);
  return byte / 3.0;
}

double rounded_sum(void) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += reads(i);
  return sum;
}

float rounded_product(void) {
  float product = 1;
#pragma omp parallel for schedule(static) reduction(* : product)
  for (int i = 0; i < 100; ++i) product *= (float)reads(i);
  return product;
}

long double rounded_long(void) {
  long double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += reads(i);
  return sum;
}

void rounded_two(double *of) {
  double sum = 0, squares = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum, squares)
  for (int i = 0; i < 100; ++i) {
    double x = reads(i);
    sum += x;
    squares += x * x;
  }
  of[0] = sum;
  of[1] = squares;
}

void rounded_by_hand(double *of) {
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) mine += reads(i);
#pragma omp critical
    *of += mine;
  }
}

void rounded_at_once(double *of) {
#pragma omp parallel
  {
    double mine = 0;
    for (int i = omp_get_thread_num(); i < 100; i += omp_get_num_threads()) mine += reads(i);
#pragma omp atomic
    *of += mine;
  }
}

void by_thread_table(double *of) {
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    for (int i = me; i < 100; i += omp_get_num_threads()) of[me] += reads(i);
  }
}

/* By functions that stay functions, as other languages' operators may. */
struct Sum {
  double sum;
};
static __attribute__((noinline)) void add_to(struct Sum *to, const struct Sum *what) { to->sum += what->sum; }
#pragma omp declare reduction(together : struct Sum : add_to(&omp_out, &omp_in)) initializer(omp_priv = (struct Sum){0})
double rounded_by_function(void) {
  struct Sum all = {0};
#pragma omp parallel for schedule(static) reduction(together : all)
  for (int i = 0; i < 100; ++i) all.sum += reads(i);
  return all.sum;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __attribute__((noinline)) void add_alone(double *to, double what) {
  pthread_mutex_lock(&mutex);
  *to += what;
  pthread_mutex_unlock(&mutex);
}
void rounded_elsewhere(double *of) {
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) mine += reads(i);
    add_alone(of, mine);
  }
}

void rounded_with_mutex(double *of) {
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) mine += reads(i);
    pthread_mutex_lock(&mutex);
    *of += mine;
    pthread_mutex_unlock(&mutex);
  }
}

/* Put aside, to be added up by whoever comes. */
static double *parts;
void rounded_put_aside(void) {
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) mine += reads(i);
#pragma omp critical
    {
      *parts = mine;
      parts += 4;
    }
  }
}

double rounded_most(void) {
  double most = 0;
#pragma omp parallel reduction(max : most)
  {
    double mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) mine += reads(i);
    if (mine > most) most = mine;
  }
  return most;
}

void rounded_most_by_hand(double *of) {
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) mine += reads(i);
#pragma omp critical
    if (mine > *of) *of = mine;
  }
}

/* In others of several at once than in what is left. */
void rounded_roughly(float *of) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 1000; ++i) {
    if (i % 100 == 0) reads(i);
    __asm__("rcpss %0, %0" : "+x"(of[i]));
  }
}

static int matches(int i) {
  char byte = 0;
  return pread(0, &byte, 1, i) == 1 && byte > 3;
}

long counted_most(void) {
  long most = 0;
#pragma omp parallel reduction(max : most)
  {
    long mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) mine += matches(i);
    most = mine;
  }
  return most;
}

long counted_shares(void) {
  long sum = 0, most = 0;
#pragma omp parallel reduction(max : most) reduction(+ : sum)
  {
    long mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) {
      sum += matches(i);
      ++mine;
    }
    most = mine;
  }
  return most + sum;
}

void counted_least_by_hand(long *of) {
#pragma omp parallel
  {
    long mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) mine += matches(i);
#pragma omp critical
    if (mine < *of) *of = mine;
  }
}

void counted_by_ones(int *of) {
#pragma omp parallel
  {
    int mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) {
      if (matches(i)) ++mine;
    }
#pragma omp critical
    *of = mine > *of ? mine : *of;
  }
}

/* The largest of all numbers, whoever had it. */
void exact_largest_by_hand(int *of) {
#pragma omp parallel
  {
    int mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) {
      int has = matches(i);
      if (has > mine) mine = has;
    }
#pragma omp critical
    if (mine > *of) *of = mine;
  }
}

long exact_largest(void) {
  long most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (int i = 0; i < 100; ++i) {
    long has = matches(i);
    most = has > most ? has : most;
  }
  return most;
}

void exact_number(long *of) {
#pragma omp parallel
  {
    long mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) mine += matches(i);
#pragma omp critical
    *of += mine;
  }
}

void exact_most_by_hand(double *of) {
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) {
      double x = reads(i);
      if (x > mine) mine = x;
    }
#pragma omp critical
    if (mine > *of) *of = mine;
  }
}

long exact_count(void) {
  long sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += reads(i) * 3 > 7;
  return sum;
}

double exact_most(void) {
  double most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (int i = 0; i < 100; ++i) {
    double x = reads(i);
    if (x > most) most = x;
  }
  return most;
}

void exact_each(double *of) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 100; ++i) of[i] = reads(i) * 2.5 + 1;
}

double exact_by_chance(void) {
  double sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += reads(i);
  return sum;
}

double rounded_by_runtime(void) {
  double sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += reads(i);
  return sum;
}

double rounded_in_order(void) {
  double sum = 0;
#pragma omp parallel for schedule(static) ordered reduction(+ : sum)
  for (int i = 0; i < 100; ++i) {
    sum += reads(i);
#pragma omp ordered
    usleep(1);
  }
  return sum;
}

static double all_together;
static char spinning;
double rounded_with_spin_lock(void) {
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) mine += reads(i);
    while (__atomic_test_and_set(&spinning, __ATOMIC_ACQUIRE)) {}
    all_together += mine;
    __atomic_clear(&spinning, __ATOMIC_RELEASE);
  }
  return all_together;
}

static pthread_mutex_t deep_lock = PTHREAD_MUTEX_INITIALIZER;
static __attribute__((noinline)) void add_deep(double x) {
  pthread_mutex_lock(&deep_lock);
  all_together += x;
  pthread_mutex_unlock(&deep_lock);
}
static __attribute__((noinline)) void add_third(double x) { add_deep(x), usleep(0); }
static __attribute__((noinline)) void add_second(double x) { add_third(x), usleep(0); }
static __attribute__((noinline)) void add_first(double x) { add_second(x), usleep(0); }
double rounded_deep(void) {
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; ++i) mine += reads(i);
    add_first(mine);
  }
  return all_together;
}
