// SPDX-License-Identifier: Apache-2.0
// Taskgroups in taskgroups whose tasks block, also where there is no memory left. Knows nothing of weir.
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

enum { tasks = 4, most_deep = 4 };

static void block(long us) {
  struct timespec t = {0, us * 1000};
  nanosleep(&t, NULL);
}

// A group waits for the children of its tasks, too; and it is told from the groups around it by what is there at its end.
static long nested(int depth, long n) {
  long parts[tasks] = {0}, inner = 0;
#pragma omp taskgroup
  {
    for (int i = 0; i < tasks; i++) {
#pragma omp task shared(parts) firstprivate(i, n)
      {
        block(300);
        parts[i] = n + i;
#pragma omp task shared(parts) firstprivate(i)
        {
          block(200);
          parts[i] *= 3;
        }
      }
    }
    if (depth > 0) inner = nested(depth - 1, 2 * n + 1);
  }
  long sum = inner;
  for (int i = 0; i < tasks; i++) sum = sum * 7 + parts[i];
  return sum;
}

static void region(int depth) {
  long sums[3];
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < 3; k++) {
#pragma omp task shared(sums) firstprivate(k, depth)
    sums[k] = nested(depth, k + 1);
  }
  for (int k = 0; k < 3; k++) printf("%d %ld\n", depth, sums[k]);
}

int main(void) {
  for (int round = 0; round < 5; round++) region(0);  // what all of them need is there now
  struct rlimit before;
  getrlimit(RLIMIT_AS, &before);
  setrlimit(RLIMIT_AS, &(struct rlimit){1 << 20, before.rlim_max});
  region(1);
  setrlimit(RLIMIT_AS, &before);
  for (int depth = 0; depth < most_deep; depth++) region(depth);
  return 0;
}
