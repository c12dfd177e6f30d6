/* SPDX-License-Identifier: Apache-2.0 */
/* Regions that share nothing out: each thread does the same, with calls that wait. With more threads more would be done, so what is
   counted would be another number. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { passes = 40 };

static void wait_us(long us) { nanosleep(&(struct timespec){0, us * 1000}, NULL); }

static long greetings(void) {
  long count = 0;
#pragma omp parallel
  {
    wait_us(2000);
#pragma omp atomic
    count++;
  }
  return count;
}

static long counted(void) {
  long count = 0;
#pragma omp parallel
  for (int i = 0; i < passes; ++i) {
    wait_us(100);
#pragma omp critical
    count += i;
  }
  return count;
}

static long reduced(int number) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    char byte;
    for (int i = 0; i < passes; ++i) {
      wait_us(100);
      if (pread(number, &byte, 1, i) == 1) sum += byte;
    }
  }
  return sum;
}

/* To the end, each for itself, and then a sum under a lock. */
static long whole_file(const char *name) {
  long sum = 0;
#pragma omp parallel
  {
    FILE *mine = fopen(name, "r");
    long bytes = 0;
    char room[64];
    for (size_t got; mine && (got = fread(room, 1, sizeof room, mine)) > 0; wait_us(50)) bytes += (long)got;
#pragma omp critical
    sum += bytes;
    if (mine) fclose(mine);
  }
  return sum;
}

static long tasks(void) {
  long count = 0;
#pragma omp parallel
  {
    for (int i = 0; i < 3; ++i) {
#pragma omp task shared(count)
      {
        wait_us(500);
#pragma omp atomic
        count++;
      }
    }
#pragma omp taskwait
  }
  return count;
}

/* Tried until nobody came between: no piece is taken. */
static double tried(void) {
  double sum = 0;
#pragma omp parallel
  for (int i = 0; i < passes; ++i) {
    wait_us(100);
#pragma omp atomic
    sum += i;
  }
  return sum;
}

int main(void) {
  char name[] = "/tmp/weir-repeats-XXXXXX";
  int number = mkstemp(name);
  for (int i = 0; i < 500; ++i) {
    if (dprintf(number, "%d\n", i) < 0) return 2;
  }
  /* Twice: the second run of a region knows how the first went. */
  for (int run = 0; run < 2; ++run) {
    printf("greetings %ld\n", greetings());
    printf("counted %ld\n", counted());
    printf("reduced %ld\n", reduced(number));
    printf("whole file %ld\n", whole_file(name));
    printf("tasks %ld\n", tasks());
    printf("tried %.0f\n", tried());
  }
  unlink(name);
  return 0;
}
