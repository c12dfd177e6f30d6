/* SPDX-License-Identifier: Apache-2.0 */
/* Records from a slow pipe, whose end is closed after the last; and what was computed meanwhile. */
#pragma once

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { records = 400 };

static int ends[2];
static pthread_t feeder;

static void *feed(void *unused) {
  const struct timespec pause = {.tv_nsec = 1000000};
  for (int i = 0; i < records; ++i) {
    nanosleep(&pause, NULL);
    if (write(ends[1], &i, sizeof i) != sizeof i) abort();
  }
  close(ends[1]);
  return unused;
}

static void start_feeder(void) {
  if (pipe(ends) || pthread_create(&feeder, NULL, feed, NULL)) abort();
}

static void join_feeder(void) {
  pthread_join(feeder, NULL);
  close(ends[0]);
}

static double now(clockid_t clock) {
  struct timespec at;
  clock_gettime(clock, &at);
  return at.tv_sec + at.tv_nsec / 1e9;
}
