// SPDX-License-Identifier: Apache-2.0
// Put before a program: its main() runs four times, each time in a thread that ends after it, and none of them is the first.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

typedef int (*Main)(int, char**, char**);
typedef int (*Start)(Main, int, char**, void (*)(void), void (*)(void), void (*)(void), void*);

static struct {
  Main main;
  int count;
  char **words, **environment;
  int status;
} program;

static void* run(void* unused) {
  program.status = program.main(program.count, program.words, program.environment);
  return unused;
}

static int in_threads(int count, char** words, char** environment) {
  enum { times = 4 };
  pthread_attr_t attributes;
  program.count = count;
  program.words = words;
  program.environment = environment;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 20);
  for (int i = 0; i < times && !program.status; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, run, NULL) || pthread_join(thread, NULL)) abort();
  }
  return program.status;
}

int __libc_start_main(Main of_program, int count, char** words, void (*begin)(void), void (*end)(void), void (*at_exit)(void), void* top) {
  program.main = of_program;
  return ((Start)dlsym(RTLD_NEXT, "__libc_start_main"))(in_threads, count, words, begin, end, at_exit, top);
}
