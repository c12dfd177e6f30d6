/* SPDX-License-Identifier: Apache-2.0 */
/* Regions that share a loop of reads out, and where each thread does something beside it: with more threads more of that would be
   done. The last ones are for one thread alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { items = 300 };
static long sum, threads;

static void work(int i) {
  nanosleep(&(struct timespec){0, 50000}, NULL);
  __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
}

static void lines(void) {
#pragma omp parallel
  {
    puts("begins");
#pragma omp for schedule(dynamic)
    for (int i = 0; i < items; ++i) work(i);
#pragma omp critical
    puts("ends");
  }
}

static void count(void) {
#pragma omp parallel
  {
#pragma omp atomic
    ++threads;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < items; ++i) work(i);
  }
}

static void count_after(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < items; ++i) work(i);
#pragma omp critical
    ++threads;
  }
}

/* In a sum that the construct makes; more than one, or gcc adds to it at once. */
static void reduces(void) {
  long found = 0;
#pragma omp parallel reduction(+ : threads, found)
  {
    ++threads;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < items; ++i) {
      work(i);
      found += i & 1;
    }
  }
  sum += found;
}

/* Those that have had a piece. */
static void adds(void) {
#pragma omp parallel
  {
    long mine = 0;
#pragma omp for
    for (int i = 0; i < items; ++i) {
      work(i);
      mine = 1;
    }
#pragma omp atomic
    threads += mine + 1;
  }
}

/* The same, counted on one way only. */
static void if_any(void) {
#pragma omp parallel
  {
    int any = 0;
#pragma omp for
    for (int i = 0; i < items; ++i) {
      work(i);
      any = 1;
    }
    if (any) __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
  }
}

/* No more than the loop gives. */
static void sums(void) {
  long found = 0, odd = 0;
#pragma omp parallel reduction(+ : found, odd)
  {
#pragma omp for
    for (int i = 0; i < items; ++i) {
      work(i);
      found += i;
      if (i & 1) ++odd;
    }
  }
  printf("found %ld odd %ld\n", found, odd);
}

/* The loop's shares go by number here, and nothing stands between the begin and the loop but what each does. */
static void count_first(void) {
#pragma omp parallel
  {
#pragma omp atomic
    ++threads;
#pragma omp for
    for (int i = 0; i < items; ++i) work(i);
  }
}

static struct {
  long sum;
} table[64];
static void number(void) {
  int next = 0;
#pragma omp parallel
  {
    int me;
#pragma omp critical
    me = next++;
#pragma omp for
    for (int i = 0; i < items; ++i) {
      work(i);
      table[me].sum += i;
    }
  }
  threads += next;
}

static void counts(void) { __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED); }
static void (*volatile begins)(void) = counts;
static void pointer(void) {
#pragma omp parallel
  {
    begins();
#pragma omp for
    for (int i = 0; i < items; ++i) work(i);
  }
}

/* With hundreds of threads: more than there is. */
static void room(void) {
#pragma omp parallel
  {
    const size_t bytes = (size_t)64 << 20;
    char *mine = malloc(bytes);
    memset(mine, 1, bytes);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < items; ++i) work(mine[i] * i);
    free(mine);
  }
}

/* As much as is known only when the region begins. */
static void room_of(size_t bytes) {
#pragma omp parallel
  {
    char *mine = malloc(bytes);
    memset(mine, 1, bytes);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < items; ++i) work(mine[i] * i);
    free(mine);
  }
}
static size_t from_environment(const char *name) { return (size_t)atol(getenv(name)); }
static void much_room(void) { room_of(from_environment("MUCH")); }
static void little_room(void) { room_of(from_environment("LITTLE")); }

static void seed(void) {
  unsigned mine = 42;
#pragma omp parallel for firstprivate(mine)
  for (int i = 0; i < items; ++i) work(rand_r(&mine) % 1000);
}

static void alone(void) {
#pragma omp parallel
  {
#pragma omp single
    puts("begins");
#pragma omp for schedule(dynamic)
    for (int i = 0; i < items; ++i) work(i);
#pragma omp master
    {
      puts("ends");
      ++threads;
    }
  }
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } kinds[] = {{"lines", lines}, {"count", count}, {"count_after", count_after}, {"count_first", count_first}, {"number", number},
               {"reduces", reduces}, {"adds", adds}, {"sums", sums}, {"if_any", if_any},
               {"pointer", pointer}, {"seed", seed}, {"room", room}, {"much_room", much_room}, {"little_room", little_room}, {"alone", alone}};
  for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; ++i) {
    /* What a region's first run showed is what its next is given threads by. */
    for (int run = 0; run < 6 && strcmp(argv[1], kinds[i].name) == 0; ++run) kinds[i].run();
  }
  printf("sum %ld threads %ld\n", sum, threads);
  return 0;
}
