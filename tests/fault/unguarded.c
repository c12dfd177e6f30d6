// SPDX-License-Identifier: Apache-2.0
// unguarded: tasks that wait, where no page can be made a guard any more, as with thousands of mappings. What they take of the address
// space does not grow with each of them.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { guard_install = 102, third_argument = offsetof(struct seccomp_data, args[2]) };

static int refuse_guards(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 4, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, third_argument),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0 /* PROT_NONE */, 3, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, third_argument),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, guard_install, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static long address_space_kib(void) {
  char line[128];
  long kib = -1;
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status)) sscanf(line, "VmSize: %ld", &kib);
  if (status) fclose(status);
  return kib;
}

static long run(int tasks) {
  long done = 0;
#pragma omp parallel num_threads(2) shared(done)
#pragma omp single
  for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(done)
    {
      usleep(200);
#pragma omp atomic
      ++done;
    }
  }
  return done;
}

int main(void) {
  if (refuse_guards()) return 77;
  long done = run(20), before = address_space_kib();
  done += run(400);
  long grown = address_space_kib() - before;
  printf("done %ld, %s\n", done, before > 0 && grown < 1 << 20 ? "no larger" : "larger");
  return 0;
}
