/* SPDX-License-Identifier: Apache-2.0 */
/* Records that all of a team read from one stream, in a critical section, and give back in another: from a file that is at hand, from a
   pipe whose writer is slow, so that who is inside waits; and in turn. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { many = 20000, few = 300 };

static long computed(const char *record) {
  long value = atol(record), x = value;
  for (int i = 0; i < 2000; ++i) x = x * 1103515245 + 12345;
  return x == 1 ? 0 : value;
}

static void told(FILE *from) {
  long records = 0, sum = 0, ordered = 0, next = 0;
#pragma omp parallel
  for (;;) {
    char record[64];
    char *got;
#pragma omp critical(in)
    got = fgets(record, sizeof record, from);
    if (!got) break;
    long value = computed(record);
#pragma omp critical(out)
    {
      ++records;
      sum += value;
    }
  }
  if (fseek(from, 0, SEEK_SET) == 0) {
#pragma omp parallel for ordered schedule(dynamic)
    for (int i = 0; i < few; ++i) {
      char record[64] = "0";
      long value = computed("1");
#pragma omp ordered
      {
        char *got = fgets(record, sizeof record, from);
        ordered += got && atol(record) == i && next++ == i ? value : 0;
      }
    }
  }
  printf("%ld records, %ld; %ld in turn\n", records, sum, ordered);
}

int main(void) {
  FILE *file = tmpfile();
  for (int i = 0; file && i < many; ++i) fprintf(file, "%d\n", i);
  if (!file || fseek(file, 0, SEEK_SET)) return 2;
  told(file);
  int ends[2];
  if (pipe(ends)) return 2;
  if (fork() == 0) {
    for (int i = 0; i < few; ++i) {
      dprintf(ends[1], "%d\n", i);
      if (i % 3 == 0) nanosleep(&(struct timespec){0, 500000}, NULL);
    }
    _exit(0);
  }
  close(ends[1]);
  told(fdopen(ends[0], "r"));
  return 0;
}
