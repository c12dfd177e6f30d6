/* SPDX-License-Identifier: Apache-2.0 */
/* with_ring PROGRAM ARGS...: runs a test that is about what only a ring can do; where there is none to be had, as in many
 * containers, it is skipped. */
#include <linux/io_uring.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 2) return 125;
  struct io_uring_params parameters;
  memset(&parameters, 0, sizeof parameters);
  long ring = syscall(SYS_io_uring_setup, 8, &parameters);
  if (ring < 0) return perror("skipped: no io_uring here"), 77;
  close((int)ring);
  execvp(argv[1], argv + 1);
  perror(argv[1]);
  return 127;
}
