/* SPDX-License-Identifier: Apache-2.0 */
/* A library that makes calls while it is loaded: a dependency of the program, so before the preload's own start; or by
 * dlopen, inside the loader. */
#include "everything.h"

char early_results[256];
__attribute__((constructor)) static void begin(void) { everything(early_results, sizeof early_results); }
__attribute__((destructor)) static void end(void) {
  char late[256];
  everything(late, sizeof late);
  dprintf(1, "destructor: %s\n", late);
}
