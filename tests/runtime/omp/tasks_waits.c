// SPDX-License-Identifier: Apache-2.0
// Tasks that wait for each other in ways that no run-time can see: without weir the thread of one that blocks is taken,
// so it is over before the other begins, or runs beside it. Knows nothing of weir.
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void block(long ms) {
  struct timespec t = {0, ms * 1000000};
  nanosleep(&t, NULL);
}

// `second` waits on the thread where `first` blocked; the other thread has nothing to do from then on.
static long one_for_another(void) {
  atomic_int second_began = 0, first_done = 0;
  long seen = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp single nowait
    {
#pragma omp task shared(second_began, first_done, seen)
      {
#pragma omp task shared(second_began, first_done, seen)
        {
          atomic_store(&second_began, 1);
          while (!atomic_load(&first_done)) {}
          seen = 1;
        }
        block(20);
        atomic_store(&first_done, 1);
#pragma omp taskwait
      }
#pragma omp taskwait
    }
    while (!atomic_load(&second_began)) {}
  }
  return seen;
}

// The same; `first` may go on anywhere.
static long untied_for_another(void) {
  atomic_int second_began = 0, first_done = 0;
  long seen = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp single nowait
    {
#pragma omp task untied shared(second_began, first_done, seen)
      {
#pragma omp task shared(second_began, first_done, seen)
        {
          atomic_store(&second_began, 1);
          while (!atomic_load(&first_done)) {}
          seen = 1;
        }
        block(20);
        atomic_store(&first_done, 1);
#pragma omp taskwait
      }
#pragma omp taskwait
    }
    while (!atomic_load(&second_began)) {}
  }
  return seen;
}

// More of them than there are threads: no thread is left to go on with `first`.
static long all_for_one(void) {
  atomic_int first_done = 0, seen = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(first_done)
    {
      block(20);
      atomic_store(&first_done, 1);
    }
    for (int i = 0; i < 24; i++)
#pragma omp task shared(first_done, seen)
    {
      while (!atomic_load(&first_done)) {}
      atomic_fetch_add(&seen, 1);
    }
  }
  return atomic_load(&seen);
}

// A lock of the program's own, held over a call. What a thread computes with, tiny numbers flushed to zero here, is so in
// every task, whatever it interrupts or is interrupted by.
static const unsigned flush_to_zero = 0x8000;
static void flush(void) { __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | flush_to_zero); }
static int flushes(void) { return (__builtin_ia32_stmxcsr() & flush_to_zero) != 0; }
static long own_lock(void) {
  atomic_flag lock = ATOMIC_FLAG_INIT;
  atomic_int flushed = 0;
  long sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 24; i++)
#pragma omp task shared(lock, sum, flushed) firstprivate(i)
  {
    atomic_fetch_add(&flushed, flushes());
    while (atomic_flag_test_and_set(&lock)) {}
    long before = sum;
    block(2);
    sum = before + i;
    atomic_flag_clear(&lock);
    atomic_fetch_add(&flushed, flushes());
  }
  return sum * 100 + flushed;
}

// A call that fails leaves its errno where the task's code looks for it, on whatever thread that is.
static long errno_of_untied(void) {
  long right = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 40; i++)
#pragma omp task untied shared(right)
  {
    errno = 0;
    int fd[2];
    char byte;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd)) abort();
    struct timeval limit = {0, 2000};
    setsockopt(fd[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (recv(fd[0], &byte, 1, 0) == -1 && errno == EAGAIN) {
#pragma omp atomic
      right++;
    }
    close(fd[0]);
    close(fd[1]);
  }
  return right;
}

int main(int count, char **argument) {
  flush();
  printf("untied for another %ld\n", untied_for_another());
  printf("errno of untied %ld\n", errno_of_untied());
  if (count > 1 && !strcmp(argument[1], "untied")) return 0;
  printf("one for another %ld\n", one_for_another());
  printf("all for one %ld\n", all_for_one());
  printf("own lock %ld\n", own_lock());
  return 0;
}
