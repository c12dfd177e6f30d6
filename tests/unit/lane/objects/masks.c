/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <signal.h>

static void* nothing(void* argument) { return argument; }

int weir_test_masks(pthread_t* thread) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int result = pthread_create(thread, 0, nothing, 0);
  pthread_sigmask(SIG_SETMASK, &before, 0);
  return result;
}
