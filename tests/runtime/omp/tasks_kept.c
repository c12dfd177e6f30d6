// SPDX-License-Identifier: Apache-2.0
// What can't be set aside, the code that makes tasks, or a task in the place of another, reads what a task is to write that was set aside on
// the same thread: it makes way for that one meanwhile.
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { rounds = 20 };

static int there[2], back[2];

static int got(int end) {
  char byte = 0;
  return read(end, &byte, 1) == 1 ? byte : -1;
}
static void give(int end, char byte) {
  if (write(end, &byte, 1) != 1) printf("not written\n");
}

static int by_who_makes_them(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
      usleep(2000);
      give(there[1], 1);
    }
#pragma omp taskyield
    sum = got(there[0]);
  }
  return sum;
}

static void get_it(void) { got(there[0]); }
static void get_it_with_a_limit(void) {
  struct pollfd one = {there[0], POLLIN, 0};
  if (poll(&one, 1, 20000) == 1) get_it();
}

static int by_one_in_place_that(void (*waits)(void), int tells) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task
      {
#pragma omp task if (0)
        waits();
        give(back[1], tells);
      }
      usleep(2000);
      give(there[1], 1);
    }
    sum = got(back[0]);
  }
  return sum;
}

static int by_one_in_place(void) { return by_one_in_place_that(get_it, 2); }
static int by_one_with_a_limit(void) { return by_one_in_place_that(get_it_with_a_limit, 5); }

static int by_one_of_a_final_one(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task
      {
#pragma omp task final(1)
        {
#pragma omp task
          got(there[0]);
        }
        give(back[1], 3);
      }
      usleep(2000);
      give(there[1], 1);
    }
    sum = got(back[0]);
  }
  return sum;
}

// It looks again and again.
static int by_one_that_sleeps(void) {
  int sum = 0, told = 0;
#pragma omp parallel shared(told)
#pragma omp single
  {
#pragma omp task shared(told)
    {
#pragma omp task shared(told)
      {
#pragma omp task if (0) shared(told)
        for (int seen = 0; !seen;) {
          usleep(100);
#pragma omp atomic read
          seen = told;
        }
        give(back[1], 4);
      }
      usleep(2000);
#pragma omp atomic write
      told = 1;
    }
    sum = got(back[0]);
  }
  return sum;
}

// It goes on on top of one that creates others, and then comes to what can't be set aside, and waits for that one.
static void compute(void) {
  struct timespec now, began;
  clock_gettime(CLOCK_MONOTONIC, &began);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - began.tv_sec) * 1000000000L + now.tv_nsec - began.tv_nsec < 4000000);
}

static void in_place(void) {
#pragma omp task if (0)
  got(there[0]);
}

static void in_a_region(void) {
#pragma omp parallel num_threads(1)
  got(there[0]);
}

static int by_one_on_top(void (*waits)(void), char byte) {
  int sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task
      {
        usleep(2000);
        waits();
        give(back[1], byte);
      }
      usleep(1000);
      compute();
#pragma omp task
      {}
      give(there[1], 1);
    }
    sum = got(back[0]);
  }
  return sum;
}

int main(void) {
  if (pipe(there) || pipe(back)) return 1;
  for (int i = 0; i < rounds; i++) {
    printf("%d %d %d ", by_who_makes_them(), by_one_in_place(), by_one_of_a_final_one());
    printf("%d %d ", by_one_that_sleeps(), by_one_with_a_limit());
    printf("%d %d\n", by_one_on_top(in_place, 6), by_one_on_top(in_a_region, 7));
  }
  return 0;
}
