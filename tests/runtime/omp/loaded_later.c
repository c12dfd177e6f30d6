// SPDX-License-Identifier: Apache-2.0
#include <time.h>

static _Thread_local volatile long mine;

long kept_over_a_call(long i) {
  mine = i;
  struct timespec t = {0, 1000000};
  nanosleep(&t, 0);
  return mine;
}
