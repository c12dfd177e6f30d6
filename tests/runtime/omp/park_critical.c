/* SPDX-License-Identifier: Apache-2.0 */
/* Many short turns with a lock that all of a team want, in a loop of which nobody can tell that it only computes. Each must be handed on at
   once: to take a nap at each would last minutes. And some turns in which its holder waits. */
#include <omp.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { turns = 60000, waits = 50 };

static long compute(long of) {
  for (int i = 0; i < 300; ++i) of = of * 1103515245 + 12345;
  return of & 1023;
}
static long reads(long of) {
  char byte;
  return of + read(0, &byte, 0);
}

int main(int argc, char **argv) {
  (void)argv;
  long (*volatile f)(long) = argc > 9 ? reads : compute;
  long sum = 0, product = 0, waited = 0, atoms = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel for schedule(dynamic) reduction(+ : atoms)
  for (int i = 0; i < turns; ++i) {
    long value = f(i);
#pragma omp critical(sum)
    sum += value;
    omp_set_lock(&lock);
    product += 2 * value;
    omp_unset_lock(&lock);
    atoms += value;
  }
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < waits; ++i) {
#pragma omp critical(waited)
    {
      nanosleep(&(struct timespec){0, 1000000}, NULL);
      ++waited;
    }
    f(i);
  }
  omp_destroy_lock(&lock);
  printf("%ld %d %d %ld\n", sum, product == 2 * sum, atoms == sum, waited);
  return 0;
}
