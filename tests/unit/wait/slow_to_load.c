/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the loader's lock for a while. */
#include <time.h>

__attribute__((constructor)) static void begin(void) {
  struct timespec t = {0, 200000000};
  nanosleep(&t, 0);
}
