/* SPDX-License-Identifier: Apache-2.0 */
/* An OpenMP program that waits in its teams and, by its code (TABLE) or by a name (PROCS), wants them as large as they are; with TASKS it has
   tasks, too, and with SHARES it shares out by numbers, which any team bears. It says which run-time serves it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <poll.h>
#include <stdio.h>

static int table[256];

int main(void) {
  int sum = 0;
#ifdef PROCS
  sum += omp_get_num_procs() * 0;
#endif
#pragma omp parallel
  {
#ifdef TASKS
#pragma omp task
    poll(0, 0, 1);
#endif
    poll(0, 0, 1);
#ifdef SHARES
    int all = omp_get_num_threads(), me = omp_get_thread_num(), mine = 0;
    for (int i = me * 64 / all; i < (me + 1) * 64 / all; ++i) mine += poll(0, 0, 0) + 1;
#pragma omp atomic
    sum += mine;
#elif !defined PROCS
    table[omp_get_thread_num()] = 1;
#endif
  }
  for (int i = 0; i < 256; ++i) sum += table[i];
  Dl_info info;
  void *entry = dlsym(RTLD_DEFAULT, "omp_in_parallel");
  if (!entry || !dladdr(entry, &info)) return 1;
  printf("%s by %s\n", sum >= 0 ? "ran" : "failed", info.dli_fname);
  return 0;
}
