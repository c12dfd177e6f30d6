/* SPDX-License-Identifier: Apache-2.0 */
/* A C program that loads C++ late, for itself alone: the C++ run time is in nobody's search but that library's. */
#include "../case.h"

#include <dlfcn.h>

int main(void) {
  void *library = dlopen(STATIC_INIT, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    puts(dlerror());
    return 1;
  }
  return ((int (*)(void))dlsym(library, "run"))();
}
