// SPDX-License-Identifier: Apache-2.0
// As tasks_shared, and what a task does after its wait names the thread: it begins a reduction in a group. The compiler keeps the
// number of the thread that the task began on; it is the task's own group all the same.
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

static int right = 0;

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
        long sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
        for (int k = 1; k <= 4; k++)
#pragma omp task in_reduction(+ : sum) firstprivate(k)
          sum += k;
#pragma omp atomic
        right += sum == 10;
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
  int most, rounds = 0;
  do {
    most = moved();
    rounds++;
  } while (rounds < 5 && most < tasks / 4);
  printf("sums right: %s, moved: %s\n", right == rounds * tasks ? "all" : "some", most >= tasks / 4 ? "many" : "few");
  return 0;
}
