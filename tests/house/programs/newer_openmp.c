/* SPDX-License-Identifier: Apache-2.0 */
/* Asks for a name that gcc's OpenMP run-time has and LLVM's has not. */
#include <stdio.h>

extern void GOMP_warning(const char *text, unsigned long length);

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 9) GOMP_warning("no", 2);
  puts("ran");
  return 0;
}
