/* SPDX-License-Identifier: Apache-2.0 */
/* Prints its arguments and what weir put into its environment; exits with the number in $STATUS. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  for (int i = 0; i < argc; ++i) printf("[%s]", argv[i]);
  const char *preload = getenv("LD_PRELOAD"), *lane = getenv("WEIR_LANE"), *status = getenv("STATUS");
  printf("\nLD_PRELOAD=%s\nWEIR_LANE=%s\n", preload ? preload : "", lane ? lane : "");
  return status ? atoi(status) : 0;
}
