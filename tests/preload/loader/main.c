/* SPDX-License-Identifier: Apache-2.0 */
/* Calls from everywhere: before constructors, in those of a library that comes before and of one that comes by dlopen,
 * with symbols of its own preferred or not, at exit and after. */
#include "everything.h"

#include <dlfcn.h>

extern char early_results[];
static char first[256], later[256];

static void before_all(void) { everything(first, sizeof first); }
__attribute__((section(".preinit_array"), used)) static void (*preinit)(void) = before_all;
static void at_end(void) {
  everything(later, sizeof later);
  printf("at exit: %s\n", later);
}

int main(void) {
  printf("preinit: %s\n", first);
  printf("dependency: %s\n", early_results);
  atexit(at_end);
  for (int i = 0; i < 2; ++i) {
    /* A sanitizer ends a program that asks for RTLD_DEEPBIND. */
    int how = i && !getenv("ASAN_OPTIONS") ? RTLD_DEEPBIND : RTLD_GLOBAL;
    void *library = dlopen(LATE, RTLD_NOW | how);
    printf("dlopen: %s\n", library ? (char *)dlsym(library, "early_results") : dlerror());
    if (library) dlclose(library);
  }
  ssize_t (*found)(int, void *, size_t) = dlsym(RTLD_DEFAULT, "read");
  char byte;
  say("read, found by dlsym", found(-1, &byte, 1));
  printf("a C++ runtime came along: %d\n", dlopen("libstdc++.so.6", RTLD_NOLOAD | RTLD_NOW) != 0);
  everything(later, sizeof later);
  printf("main: %s\n", later);
  return 0;
}
