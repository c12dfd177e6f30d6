/* SPDX-License-Identifier: Apache-2.0 */
/* The cases one after the other, in the first thread; or, with MATRIX_THREADS set, in so many at once. */
#include <pthread.h>
#include <stdlib.h>

int the_effect;
static void (*the_body)(int);
static int the_count, next;

static void *work(void *unused) {
  for (int i; (i = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < the_count;) the_body(i);
  return unused;
}

void each(int count, void (*body)(int)) {
  the_body = body;
  the_count = count;
  const char *text = getenv("MATRIX_THREADS");
  int threads = text ? atoi(text) : 0;
  if (!threads) {
    work(0);
    return;
  }
  pthread_t thread[64];
  for (int i = 0; i < threads && i < 64; ++i) pthread_create(&thread[i], 0, work, 0);
  for (int i = 0; i < threads && i < 64; ++i) pthread_join(thread[i], 0);
}
