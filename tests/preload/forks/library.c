// SPDX-License-Identifier: Apache-2.0
// A library with a thread, which it ends before each fork, as libraries of numerics do. Its constructor runs before the preload's.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_t thread;
static int begun;
static sem_t work;

static void *await_work(void *nothing) {
  while (sem_wait(&work)) {
  }
  return nothing;
}

void begin_thread(void) {
  if (sem_init(&work, 0, 0) || pthread_create(&thread, NULL, await_work, NULL)) abort();
  begun = 1;
}

static void end_thread(void) {
  if (!begun) return;
  sem_post(&work);
  if (pthread_join(thread, NULL)) abort();
  begun = 0;
}

__attribute__((constructor)) static void watch_forks(void) {
  if (pthread_atfork(end_thread, NULL, NULL)) abort();
}
