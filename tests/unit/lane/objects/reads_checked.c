/* SPDX-License-Identifier: Apache-2.0 */
/* A fortified header's name of read. */
#include <stddef.h>
#include <sys/types.h>

ssize_t __read_chk(int fd, void *to, size_t bytes, size_t room);

int weir_test_first_byte(int fd) {
  char byte;
  return __read_chk(fd, &byte, 1, sizeof byte) == 1 ? byte : -1;
}
