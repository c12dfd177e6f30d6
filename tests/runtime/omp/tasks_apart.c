/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread of a team has a working folder of its own. What a task opens by a name lies in that of the thread it runs on. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { tasks = 300 };

static void make_folder_of(int thread) {
  char name[32], digit = (char)('0' + thread);
  snprintf(name, sizeof name, "%d", thread);
  if (mkdir(name, 0700)) exit(2);
  snprintf(name, sizeof name, "%d/who", thread);
  int file = open(name, O_CREAT | O_WRONLY, 0600);
  if (write(file, &digit, 1) != 1) exit(2);
  close(file);
}

static void remove_folder_of(int thread) {
  char name[32];
  snprintf(name, sizeof name, "%d/who", thread);
  unlink(name);
  snprintf(name, sizeof name, "%d", thread);
  rmdir(name);
}

/* What may make the file is never done at once: nobody knows whether it waits. */
static int reads_its_own(void) {
  char before = (char)('0' + omp_get_thread_num()), read_there = 0;
  int file = open("who", O_CREAT | O_RDWR, 0600);
  if (file < 0 || pread(file, &read_there, 1, 0) != 1) return 0;
  close(file);
  return read_there == before;
}

int main(void) {
  char folder[] = "/tmp/apart-XXXXXX";
  if (!mkdtemp(folder) || chdir(folder)) return 2;
  int threads = omp_get_max_threads(), right = 0, alone = 0;
  for (int i = 0; i < threads; ++i) make_folder_of(i);
#pragma omp parallel
  {
    char name[32];
    snprintf(name, sizeof name, "%d", omp_get_thread_num());
    if (unshare(CLONE_FS) == 0 && chdir(name) == 0) {
#pragma omp atomic
      ++alone;
    }
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < tasks; ++i) {
#pragma omp task
      {
        int is = reads_its_own();
#pragma omp atomic
        right += is;
      }
    }
  }
  if (chdir(folder)) return 2;
  for (int i = 0; i < threads; ++i) remove_folder_of(i);
  rmdir(folder);
  printf("apart: %d of %d; %d of %d right\n", alone, threads, right, tasks);
  return alone ? 0 : 77;  /* a container may forbid it */
}
