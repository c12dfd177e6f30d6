// SPDX-License-Identifier: Apache-2.0
// Taskloops by gcc: with a strict grainsize their tasks have just that many iterations, and the last one what remains; they
// go downwards as well.
#include <stdio.h>
#include <string.h>

enum { trips = 27 };
static int wrong;

// 1 stands where a task began.
static void check(const char *what, const int *began, int each) {
  for (int i = 0; i < trips; i++) {
    if (began[i] == (i % each == 0)) continue;
    printf("%s: other pieces than asked for, from iteration %d on\n", what, i);
    wrong = 1;
    return;
  }
}

static void loops(const char *where) {
  int began[trips], tasks = 0, last = 0;
  memset(began, 0, sizeof began);
#pragma omp taskloop firstprivate(tasks) shared(began) grainsize(strict : 4) lastprivate(last)
  for (int i = 0; i < trips; i++) {
    began[i] = !tasks++;
    last = i;
  }
  check("upwards", began, 4);
  if (last != trips - 1) wrong = 1, puts("upwards, the last");

  memset(began, 0, sizeof began);
#pragma omp taskloop firstprivate(tasks) shared(began) grainsize(strict : 5)
  for (long i = 3 * trips; i > 0; i -= 3) began[trips - i / 3] = !tasks++;
  check("downwards", began, 5);

  memset(began, 0, sizeof began);
#pragma omp taskloop firstprivate(tasks) shared(began) num_tasks(3) lastprivate(last)
  for (int i = 2 * trips; i > 0; i -= 2) {
    began[trips - i / 2] = !tasks++;
    last = i;
  }
  check("downwards, in three tasks", began, trips / 3);
  if (last != 2) wrong = 1, puts("downwards, the last");

  memset(began, 0, sizeof began);
#pragma omp taskloop firstprivate(tasks) shared(began) grainsize(strict : 10) if (0)
  for (unsigned long long i = 1ull << 63; i < (1ull << 63) + 2 * trips; i += 2) began[(i & 63) / 2] = !tasks++;
  check("undeferred", began, 10);

  long sum = 0;
  memset(began, 0, sizeof began);
#pragma omp taskloop firstprivate(tasks) shared(began) grainsize(strict : 6) reduction(+ : sum)
  for (int i = 0; i < trips; i++) {
    began[i] = !tasks++;
    sum += i;
  }
  check("with a reduction", began, 6);
#pragma omp taskloop reduction(+ : sum)
  for (unsigned long long i = 2 * trips; i > 0; i -= 2) sum += (long)i;
  if (sum != trips * (trips - 1) / 2 + trips * (trips + 1)) wrong = 1, puts("sum");

  memset(began, 0, sizeof began);
#pragma omp taskloop firstprivate(tasks) shared(began) grainsize(strict : 8) nogroup
  for (int i = 0; i < trips; i++) began[i] = !tasks++;
#pragma omp taskwait
  check("without a group", began, 8);

  memset(began, 0, sizeof began);
#pragma omp taskloop firstprivate(tasks) shared(began) grainsize(strict : 40)
  for (int i = 0; i < trips; i++) began[i] = !tasks++;
  check("in one", began, 40);
  if (wrong) printf("%s\n", where);
}

int main(void) {
#pragma omp parallel num_threads(3)
#pragma omp single
  loops("in a team");
  loops("in no team");
  puts(wrong ? "not as asked for" : "as asked for");
  return wrong;
}
