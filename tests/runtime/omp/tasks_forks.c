/* SPDX-License-Identifier: Apache-2.0 */
/* Children forked while tasks of another thread's team are set aside, before which auto asks the loader what there is: each
 * child can load a library, as it can without weir. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int over;

static void *tasks(void *unused) {
  while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 200; ++i) {
#pragma omp task
      usleep(1);
    }
  }
  return unused;
}

int main(void) {
  enum { children = 300 };
  pthread_t thread;
  pthread_create(&thread, 0, tasks, 0);
  int loaded = 0;
  for (int i = 0; i < children; ++i) {
    pid_t child = fork();
    if (!child) {
      alarm(3);
      _exit(dlopen("librt.so.1", RTLD_NOW) ? 42 : 1);
    }
    int status = 0;
    loaded += waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 42;
  }
  __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
  pthread_join(thread, 0);
  printf("%d of %d children loaded a library\n", loaded, children);
  return 0;
}
