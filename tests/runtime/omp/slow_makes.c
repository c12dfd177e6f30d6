/* SPDX-License-Identifier: Apache-2.0 */
/* A file system, as far as open goes, where to make a file takes a millisecond of waiting: preloaded behind weir. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int open(const char *name, int flags, ...) {
  mode_t mode = 0;
  if (flags & O_CREAT) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &(struct timespec){0, 1000000}, NULL);
  }
  return (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
}
