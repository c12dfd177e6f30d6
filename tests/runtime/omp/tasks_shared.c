// SPDX-License-Identifier: Apache-2.0
// Many tasks begin on one thread, since the other is busy, and wait. When they are ready both threads are free: each does
// its share of them. Which thread runs is asked in a way that nobody sees: a program that asks openly keeps its tasks home.
#include <stdio.h>
#include <time.h>

enum { tasks = 16 };

static long thread_here(void) {
  long id;
  __asm__ volatile("syscall" : "=a"(id) : "0"(186L) : "rcx", "r11", "memory");
  return id;
}

static void compute(void) {
  for (volatile int i = 0; i < 20000000; i++) {}
}

// So many went on elsewhere. Where other programs want the cores, one thread may come to all of them first.
static int moved(void) {
  int begun = 0;
  long began_at[tasks], ended_at[tasks];
#pragma omp parallel num_threads(2)
  {
#pragma omp single nowait
    {
      for (int i = 0; i < tasks; i++)
#pragma omp task firstprivate(i) shared(begun, began_at, ended_at)
      {
        struct timespec t = {0, 100000000};
        began_at[i] = thread_here();
        __atomic_fetch_add(&begun, 1, __ATOMIC_ACQ_REL);
        nanosleep(&t, NULL);
        compute();
        ended_at[i] = thread_here();
      }
#pragma omp taskwait
    }
    while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) < tasks) {}
  }
  int moved = 0;
  for (int i = 0; i < tasks; i++) moved += began_at[i] == began_at[0] && ended_at[i] != began_at[0];
  return moved;
}

int main(void) {
  int most = 0;
  for (int round = 0; round < 5 && most < tasks / 4; round++) most = moved();
  printf("moved: %s\n", most >= tasks / 4 ? "many" : "few");
  return 0;
}
