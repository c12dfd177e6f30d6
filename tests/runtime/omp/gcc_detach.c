// SPDX-License-Identifier: Apache-2.0
// Detached tasks by gcc: one is over when its body is and its event was fulfilled, by whomever.
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static _Atomic int done;

static void *fulfills(void *event) {
  usleep(3000);
  done++;
  omp_fulfill_event((omp_event_handle_t)(uintptr_t)event);
  return NULL;
}

static void later(omp_event_handle_t event) {
  pthread_t thread;
  pthread_create(&thread, NULL, fulfills, (void *)(uintptr_t)event);
  pthread_detach(thread);
}

static void tell(const char *what, int want) { printf("%s: %s\n", what, done == want ? "over" : "not over"), done = 0; }

static void tasks(void) {
  omp_event_handle_t event, other;
  int before = 11, seen = 0;

#pragma omp task detach(event) firstprivate(before) shared(seen)
  {
    seen = before;
    done++;
    omp_fulfill_event(event);
  }
#pragma omp taskwait
  tell(seen == 11 ? "in its body" : "in its body, with other values", 1);

#pragma omp task detach(event)
  usleep(1000);
  later(event);
#pragma omp taskwait
  tell("by a thread", 1);

#pragma omp taskgroup
  {
#pragma omp task detach(event)
    later(event);
#pragma omp task detach(other)
    later(other);
  }
  tell("two in a group", 2);

  int first = 0, second = 0;
#pragma omp task detach(event) depend(out : first)
  later(event);
#pragma omp task depend(in : first) shared(second)
  second = done;
#pragma omp taskwait
  tell(second == 1 ? "what depends on it is later" : "what depends on it is too early", 1);

#pragma omp task detach(event) if (0) firstprivate(before)
  later(event);
  tell("undeferred", 1);
#pragma omp task detach(event) if (0)
  omp_fulfill_event(event), done++;
  tell("undeferred, in its body", 1);

  for (int i = 0; i < 100; i++) {
#pragma omp task detach(event) firstprivate(i)
    omp_fulfill_event(event), done += i;
  }
#pragma omp taskwait
  tell("many", 4950);
}

int main(void) {
#pragma omp parallel
#pragma omp single
  tasks();
  return 0;
}
