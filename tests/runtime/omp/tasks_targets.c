/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks for a device that is not there (`target nowait`): threads of libomp's own run them, and hand over what depends on them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void wait_us(int us) {
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  timerfd_settime(timer, 0, &(struct itimerspec){.it_value = {0, us * 1000L}}, NULL);
  uint64_t times = 0;
  if (read(timer, &times, sizeof times) != sizeof times) abort();
  close(timer);
}

enum { count = 48 };

/* Before any of the program's is for a device, tasks are set aside as ever. */
static long without_device(void) {
  long values[count] = {0}, sum = 0;
#pragma omp parallel shared(values)
#pragma omp single
  for (int i = 0; i < count; ++i) {
#pragma omp task firstprivate(i) shared(values)
    {
      wait_us(300 + i % 5 * 100);
      values[i] = i;
    }
  }
  for (int i = 0; i < count; ++i) sum += values[i];
  return sum;
}

static long on_device(void) {
  int values[count] = {0};
  long sum = 0;
#pragma omp parallel shared(values)
#pragma omp single
  {
    for (int i = 0; i < count; ++i) {
#pragma omp target nowait map(tofrom : values[i : 1]) depend(out : values[i])
      {
        wait_us(200 + i % 7 * 50);
        values[i] = i;
      }
#pragma omp task firstprivate(i) shared(values) depend(inout : values[i])
      {
        wait_us(100 + i % 3 * 100);
#pragma omp task firstprivate(i) shared(values)
        {
          wait_us(100);
          values[i] += 1;
        }
#pragma omp taskwait
      }
#pragma omp task firstprivate(i) shared(values) depend(inout : values[i]) untied
      {
        wait_us(50);
        values[i] *= 2;
      }
    }
#pragma omp taskwait
  }
  for (int i = 0; i < count; ++i) sum += values[i];
  return sum;
}

int main(void) {
  long sum = without_device();
  for (int round = 0; round < 5; ++round) sum += on_device();
  printf("sum %ld\n", sum);
}
