/* SPDX-License-Identifier: Apache-2.0 */
/* Many short threads, each with a call: what is kept of a thread is used again, so the process does not grow. */
#include "case.h"

static long resident_kib(void) {
  char text[64] = {0};
  int fd = open("/proc/self/statm", O_RDONLY);
  (void)!read(fd, text, sizeof text - 1);
  close(fd);
  return atol(strchr(text, ' ')) * (sysconf(_SC_PAGESIZE) / 1024);
}
static void *one_call(void *unused) {
  char byte;
  (void)!read(-1, &byte, 1);
  return unused;
}
static void threads(int count) {
  for (int i = 0; i < count; ++i) pthread_join(start(one_call, 0), 0);
}

int main(void) {
  threads(500);
  long before = resident_kib();
  threads(30000);
  long grown = resident_kib() - before;
  printf("30000 threads, grown by more than 4 MiB: %d\n", grown > 4096);
  return 0;
}
