// SPDX-License-Identifier: Apache-2.0
// private_host LIBRARY...: a program without a run-time loads libraries that have one each, and calls all of them, twice.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  for (int i = 1; i < 2 * argc - 1; ++i) {
    void *library = dlopen(argv[(i - 1) % (argc - 1) + 1], RTLD_NOW | RTLD_LOCAL);
    void (*work)(void) = library ? (void (*)(void))dlsym(library, "work") : NULL;
    const char *error = dlerror();
    if (!work || error) return printf("%s\n", error ? error : "no work"), 2;
    work();
  }
  return 0;
}
