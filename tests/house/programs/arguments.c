/* SPDX-License-Identifier: Apache-2.0 */
/* Prints its arguments and what weir put into its environment; exits with the number in $STATUS. With $OVERWRITE it writes
 * over its environment first, as servers do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

int main(int argc, char **argv) {
  for (int i = 0; i < argc; ++i) printf("[%s]", argv[i]);
  const char *preload = getenv("LD_PRELOAD"), *lane = getenv("WEIR_LANE"), *status = getenv("STATUS");
  printf("\nLD_PRELOAD=%s\nWEIR_LANE=%s\n", preload ? preload : "", lane ? lane : "");
  int code = status ? atoi(status) : 0;
  if (getenv("OVERWRITE"))
    for (char **entry = environ; *entry; ++entry) memset(*entry, 'x', strlen(*entry));
  return code;
}
