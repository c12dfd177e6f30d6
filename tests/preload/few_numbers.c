/* SPDX-License-Identifier: Apache-2.0 */
/* Where few descriptors may be open, the program still gets the lowest numbers, and as many as it counts on.
 * must count: suspended */
#include "case.h"

static int p[2];
static char buffer[100];

static void *write_late(void *unused) {
  nap_ms(10);
  write(p[1], "late", 4);
  return unused;
}

int main(void) {
  struct rlimit few = {200, 200};
  assert(!setrlimit(RLIMIT_NOFILE, &few));
  closefrom(3);
  assert(!pipe(p));
  int next = open("/dev/null", O_RDONLY);
  close(next);
  pthread_t t = start(write_late, 0);
  say("read", read(p[0], buffer, sizeof buffer));
  pthread_join(t, 0);
  int in_turn = 0;
  while (in_turn < 100 && open("/dev/null", O_RDONLY) == next + in_turn) ++in_turn;
  say("numbers in turn", in_turn);
  return 0;
}
