/* SPDX-License-Identifier: Apache-2.0 */
/* confined HOW PROGRAM ARGS...: runs PROGRAM where io_uring can't be had. HOW: eperm, enosys (a seccomp filter answers
 * io_uring_setup so), nofile (no descriptor is left for a ring), memlock. Or where the kernel doesn't say what is in the page
 * cache: untold. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refuse(unsigned call, int error) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int limit(int what, rlim_t to) {
  struct rlimit both = {to, to};
  return setrlimit(what, &both);
}

int main(int argc, char **argv) {
  if (argc < 3) return 125;
  int failed = 1;
  if (!strcmp(argv[1], "eperm")) failed = refuse(SYS_io_uring_setup, EPERM);
  if (!strcmp(argv[1], "enosys")) failed = refuse(SYS_io_uring_setup, ENOSYS);
  if (!strcmp(argv[1], "untold")) failed = refuse(451 /* cachestat */, ENOSYS);
  if (!strcmp(argv[1], "nofile")) failed = limit(RLIMIT_NOFILE, 12);
  if (!strcmp(argv[1], "memlock")) failed = limit(RLIMIT_MEMLOCK, 0);
  if (failed) return perror(argv[1]), 125;
  execvp(argv[2], argv + 2);
  perror(argv[2]);
  return 127;
}
