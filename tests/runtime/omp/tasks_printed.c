// SPDX-License-Identifier: Apache-2.0
// A task that prints more into a pipe than it holds waits for the one that reads there, which was set aside on the same thread. So
// does one that prints in the place of another, and can't be set aside.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { rounds = 3, lines = 1500, length = 100, bytes = lines * length };

static int ends[2];
static FILE *out;
static char line[length + 1];

static long reads(void) {
  static char some[4096];
  long sum = 0;
  for (long left = bytes; left > 0;) {
    ssize_t got = read(ends[0], some, left < (long)sizeof some ? left : (long)sizeof some);
    if (got <= 0) return -1;
    for (ssize_t i = 0; i < got; i++) sum += some[i];
    left -= got;
  }
  return sum;
}

static void by_fputs(void) {
  if (fputs(line, out) < 0) abort();
}
static void by_fprintf(void) {
  if (fprintf(out, "%.*s\n", length - 1, line) != length) abort();
}
static void by_fwrite(void) {
  if (fwrite(line, 1, length, out) != length) abort();
}
static void by_fflush(void) {
  by_fwrite();
  fflush(out);
}

static void print(void (*one)(void)) {
  for (int i = 0; i < lines; i++) one();
  fflush(out);
}

static void print_in_place(void (*one)(void)) {
#pragma omp task if (0)
  print(one);
}

// Without weir each of the two has a thread; with it they begin on the same one, while the other sleeps.
static long pass(void (*prints)(void (*)(void)), void (*one)(void)) {
  long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task shared(sum)
    sum = reads();
#pragma omp task
    prints(one);
    usleep(5000);
  }
  return sum;
}

int main(void) {
  void (*const ways[])(void) = {by_fputs, by_fprintf, by_fwrite, by_fflush};
  memset(line, 'x', length - 1);
  line[length - 1] = '\n';
  if (pipe(ends) || !(out = fdopen(ends[1], "w"))) return 1;
  for (int by_lines = 0; by_lines < 2; by_lines++) {
    if (by_lines) setvbuf(out, NULL, _IOLBF, 4096);
    for (int i = 0; i < rounds; i++)
      for (int k = 0; k < 4; k++) printf("%ld %ld\n", pass(print, ways[k]), pass(print_in_place, ways[k]));
  }
  return 0;
}
