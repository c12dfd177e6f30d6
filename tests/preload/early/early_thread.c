// SPDX-License-Identifier: Apache-2.0
// Loaded before a program: begins a thread before most constructors run, as some libraries of numerics do, and says how long the
// kernel's table of descriptors was before and after.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rows(void) {
  char line[256];
  int rows = -1;
  FILE* status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (!strncmp(line, "FDSize:", 7)) rows = atoi(line + 7);
  if (status) fclose(status);
  return rows;
}

static void* nothing(void* nothing_) { return nothing_; }

__attribute__((constructor)) static void begin(void) {
  int before = rows();
  pthread_t thread;
  if (pthread_create(&thread, NULL, nothing, NULL)) abort();
  fprintf(stderr, "%d %d\n", before, rows());
  pthread_join(thread, NULL);
}
