/* SPDX-License-Identifier: Apache-2.0 */
/* An OpenMP program that says which run-time serves it. With $NAP_MS its threads wait so long. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef KEEPS
_Thread_local int kept;  /* so its tasks stay on their threads */
#endif

int main(void) {
  int sum = 0;
#ifdef KEEPS
  kept = (int)(sizeof kept);
#endif
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
  for (int i = 0; i < 1000; ++i) sum += i;
  const char *nap = getenv("NAP_MS");
#pragma omp parallel if (nap)
  if (nap) poll(0, 0, atoi(nap));
  Dl_info info;
  void *entry = dlsym(RTLD_DEFAULT, "omp_in_parallel");
  if (!entry || !dladdr(entry, &info)) return 1;
  printf("sum %d by %s\n", sum, info.dli_fname);
  return 0;
}
