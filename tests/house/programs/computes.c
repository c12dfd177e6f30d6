/* SPDX-License-Identifier: Apache-2.0 */
/* An OpenMP program none of whose regions may wait. It says which run-time serves it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
  for (int i = 0; i < 1000; ++i) sum += i;
  Dl_info info;
  void *entry = dlsym(RTLD_DEFAULT, "omp_in_parallel");
  if (!entry || !dladdr(entry, &info)) return 1;
  printf("sum %d by %s\n", sum, info.dli_fname);
  return 0;
}
