/* SPDX-License-Identifier: Apache-2.0 */
/* libc takes a thread's thread-local variables from its stack: with as many as a Fortran program's threadprivate arrays make, weir's
 * own threads need more of it. must count: suspended */
#include "case.h"

static __thread char much[4 << 20];

static void *write_late(void *fd) {
  much[0] = 'm';
  nap_ms(30);
  write(*(int *)fd, much, sizeof "m");
  return 0;
}

int main(void) {
  int p[2];
  char got[4];
  assert(!pipe(p));
  pthread_t t = start(write_late, &p[1]);
  say("read", read(p[0], got, 4));
  pthread_join(t, 0);
  printf("%s %d\n", got, much[0]);
  return 0;
}
