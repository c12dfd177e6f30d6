/* SPDX-License-Identifier: Apache-2.0 */
/* A loop's passes take turns by a condition, while as many go on as there are cores since some try for a file's lock: who waits for
   its turn keeps no core from who has it. */
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { passes = 64, long_for_all_s = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_over = PTHREAD_COND_INITIALIZER;
static int is_taken;

static void take_turn(void) {
  pthread_mutex_lock(&mutex);
  while (is_taken) pthread_cond_wait(&is_over, &mutex);
  is_taken = 1;
  pthread_mutex_unlock(&mutex);
  usleep(2000);
  pthread_mutex_lock(&mutex);
  is_taken = 0;
  pthread_cond_signal(&is_over);
  pthread_mutex_unlock(&mutex);
}

int main(void) {
  char name[] = "/tmp/weir-turns-XXXXXX";
  int file = mkstemp(name), failed = 0;
  if (file < 0) return 1;
  unlink(name);
  double began = omp_get_wtime();
#pragma omp parallel for schedule(dynamic) reduction(+ : failed)
  for (int i = 0; i < passes; ++i) {
    struct flock one = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = i, .l_len = 1};
    failed += fcntl(file, F_SETLK, &one) != 0;
    take_turn();
  }
  printf("%s, %d failed\n", omp_get_wtime() - began < long_for_all_s ? "in time" : "late", failed);
  return 0;
}
