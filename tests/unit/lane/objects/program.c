/* SPDX-License-Identifier: Apache-2.0 */
/* A program that exports nothing: its table of hashed symbols is empty. */
#include <pthread.h>
#include <stdio.h>

int main(void) {
  printf("%lu\n", (unsigned long)pthread_self());
  return 0;
}
