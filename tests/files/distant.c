/* SPDX-License-Identifier: Apache-2.0 */
/* distant FILE: tasks that each open a file whose open takes long, by open or by fopen, and read a part of it.
 * distant FILE ask: tasks that each ask what the name stands for.
 * distant FILE next: a task that reads what comes next, by read and by stdio; and how often the disk was asked.
 * distant FILE hot: tasks that read, at places and what comes next, what was read before. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { tasks = 300, part = 512 };

static long sum_of(const unsigned char *bytes, long count) {
  long sum = count;
  for (long i = 0; i < count; ++i) sum = sum * 31 % 1000003 + bytes[i];
  return sum;
}

static long by_number(const char *name, long at) {
  unsigned char bytes[part];
  int file = open(name, O_RDONLY);
  if (file < 0) return -1;
  long sum = sum_of(bytes, pread(file, bytes, part, at));
  close(file);
  return sum;
}

static long by_stream(const char *name, long at) {
  unsigned char bytes[part];
  FILE *file = fopen(name, "r");
  if (!file) return -1;
  long sum = pread(fileno(file), bytes, part, at) == part ? sum_of(bytes, part) : -2;
  fclose(file);
  return sum;
}

static long asked(const char *name, long i) {
  struct stat about = {0};
  if (i % 3 == 0) return access(name, i % 2 ? R_OK : W_OK);
  if ((i % 3 == 1 ? stat : lstat)(name, &about)) return -1;
  return about.st_size + about.st_mode;
}

static void ask(const char *name) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < tasks; ++i) {
#pragma omp task
    {
      long one = asked(name, i);
#pragma omp atomic
      sum += one;
    }
  }
  printf("sum %ld\n", sum);
}

/* Of the disk's own account. */
static long served(const char *name) {
  char control[4096], line[4096] = "";
  snprintf(control, sizeof control, "%.*scontrol", (int)(strrchr(name, '/') + 1 - name), name);
  FILE *file = fopen(control, "r");
  if (!file || !fgets(line, sizeof line, file)) return -1;
  fclose(file);
  const char *count = strstr(line, "served=");
  return count ? atol(count + 7) : -1;
}

static long all_of(const char *name) {
  unsigned char bytes[4096];
  long sum = 0;
  int file = open(name, O_RDONLY);
  for (ssize_t got; (got = read(file, bytes, sizeof bytes)) > 0;) sum += sum_of(bytes, got);
  close(file);
  FILE *stream = fopen(name, "r");
  for (size_t got; (got = fread(bytes, 1, sizeof bytes, stream)) > 0;) sum += sum_of(bytes, (long)got);
  fclose(stream);
  return sum;
}

static void next(const char *name) {
  long before = served(name), sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp task
  sum = all_of(name);
  printf("sum %ld\n", sum);
  fprintf(stderr, "%ld\n", served(name) - before);
}

static void hot(const char *name) {
  long sum = all_of(name);
  int file = open(name, O_RDONLY);
  long size = lseek(file, 0, SEEK_END);
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < 4000; ++i) {
#pragma omp task
    {
      unsigned char bytes[part];
      long one = i % 1000 ? sum_of(bytes, pread(file, bytes, part, i * part % size)) : all_of(name);
#pragma omp atomic
      sum += one;
    }
  }
  printf("sum %ld\n", sum);
}

int main(int count, char **arguments) {
  if (count < 2) return 2;
  if (count > 2) {
    (arguments[2][0] == 'a' ? ask : arguments[2][0] == 'n' ? next : hot)(arguments[1]);
    return 0;
  }
  long sum = 0, missing = 0;
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < tasks; ++i) {
#pragma omp task
    {
      long one = i % 2 ? by_stream(arguments[1], i * part) : by_number(arguments[1], i * part);
      int none = i % 3 == 0 && fopen("/nowhere/at/all", "r") == NULL;
#pragma omp atomic
      sum += one;
#pragma omp atomic
      missing += none;
    }
  }
  printf("sum %ld, missing %ld\n", sum, missing);
  return 0;
}
