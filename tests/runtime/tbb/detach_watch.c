// SPDX-License-Identifier: Apache-2.0
// Behind weir: says on stderr when a thread is detached by another.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

int pthread_detach(pthread_t thread) {
  static int (*next)(pthread_t);
  if (!next) next = (int (*)(pthread_t))dlsym(RTLD_NEXT, "pthread_detach");
  static const char line[] = "by another\n";
  if (!pthread_equal(thread, pthread_self()) && write(2, line, sizeof line - 1) < 0) return -1;
  return next(thread);
}
