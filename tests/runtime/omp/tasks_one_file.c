// SPDX-License-Identifier: Apache-2.0
// Tasks read from one FILE. What one of them brings is the others' too, and lies in the FILE's buffer: no more comes at its
// descriptor, a pipe's, until all have had their part. Argument: one of them may not be set aside, for it holds a lock.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { rounds = 10, readers = 8 };

static int ends[2];
static FILE *in;

// All of a round in one piece, when they wait.
static void *writes(void *text) {
  usleep(10000);
  if (write(ends[1], text, strlen(text)) != (ssize_t)strlen(text)) abort();
  return NULL;
}

static long line(void) {
  char text[16];
  return fgets(text, sizeof text, in) ? atol(text) : -1;
}
static long line_of_any_length(void) {
  char *text = NULL;
  size_t room = 0;
  long got = getline(&text, &room, in) > 0 ? atol(text) : -1;
  free(text);
  return got;
}
static long character(void) { return getc(in) - '0'; }
static long two_characters(void) {
  char text[3] = "";
  return fread(text, 1, 2, in) == 2 ? atol(text) : -1;
}
static long number(void) {
  int got;
  return fscanf(in, "%d", &got) == 1 ? got : -1;
}

static long all_of(long (*read_one)(void), const char *text, int one_holds_a_lock) {
  static omp_lock_t lock;
  pthread_t writer;
  long sum = 0;
  omp_init_lock(&lock);
  if (pthread_create(&writer, NULL, writes, (void *)text)) abort();
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < readers; i++)
#pragma omp task shared(sum)
  {
    int locks = one_holds_a_lock && i == 1;
    if (locks) omp_set_lock(&lock);
    long got = read_one();
    if (locks) omp_unset_lock(&lock);
#pragma omp atomic
    sum += got;
  }
  pthread_join(writer, NULL);
  omp_destroy_lock(&lock);
  return sum;
}

int main(int count, char **argument) {
  int locks = count > 1;
  (void)argument;
  if (pipe(ends) || !(in = fdopen(ends[0], "r"))) return 1;
  for (int i = 0; i < rounds; i++) {
    printf("%ld ", all_of(line, "1\n2\n3\n4\n5\n6\n7\n8\n", locks));
    printf("%ld ", all_of(line_of_any_length, "1\n2\n3\n4\n5\n6\n7\n8\n", locks));
    printf("%ld ", all_of(character, "12345678", locks));
    printf("%ld ", all_of(two_characters, "0102030405060708", locks));
    printf("%ld\n", all_of(number, "1 2 3 4 5 6 7 8 ", locks));
    if (getc(in) != ' ') return 1;
  }
  return 0;
}
