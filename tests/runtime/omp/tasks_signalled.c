/* SPDX-License-Identifier: Apache-2.0 */
/* While a task waits for a call, another thread of its team waits in libc for what that task does: with a handler that runs
 * every millisecond, and with limits that are none. Says how each wait ended. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static void wait_ms(int ms) {
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  timerfd_settime(timer, 0, &(struct itimerspec){.it_value = {ms / 1000, ms % 1000 * 1000000L}}, NULL);
  uint64_t times = 0;
  if (read(timer, &times, sizeof times) != sizeof times) abort();
  close(timer);
}

static void handler(int signal) { (void)signal; }

static pthread_t waiting;
static volatile int over;

static void* signals(void* none) {
  while (!over) {
    pthread_kill(waiting, SIGUSR1);
    usleep(1000);
  }
  return none;
}

static sem_t done;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static struct timespec in_a_minute(clockid_t clock, long ns) {
  struct timespec until;
  clock_gettime(clock, &until);
  until.tv_sec += 60;
  if (ns) until.tv_nsec = ns;
  return until;
}

static const char* ended(int failed) { return failed ? strerror(errno) : errno ? "well, with an errno" : "well"; }

static const char* waits(int kind, long ns) {
  struct timespec by_date = in_a_minute(CLOCK_REALTIME, ns), by_uptime = in_a_minute(CLOCK_MONOTONIC, ns);
  errno = 0;
  switch (kind) {
    case 0: return ended(sem_wait(&done));
    case 1: return ended(sem_timedwait(&done, &by_date));
    case 2: return ended(sem_clockwait(&done, CLOCK_MONOTONIC, &by_uptime));
    default: break;
  }
  pthread_mutex_lock(&mutex);
  int error = kind == 3 ? pthread_cond_timedwait(&condition, &mutex, &by_date)
                        : pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &by_uptime);
  pthread_mutex_unlock(&mutex);
  return strerror(error);
}

/* Waits while a task of the other thread is set aside; in a team of one there is nobody to wait for. */
static void wait_for_task(const char* what, int kind, long ns, int signalled) {
  const char* how = NULL;
  long waited_ms = 0;
  sem_init(&done, 0, 0);
#pragma omp parallel num_threads(2) shared(how, waited_ms)
  {
#pragma omp master
    {
      volatile int begun = 0;
#pragma omp task shared(begun)
      {
        begun = 1;
        wait_ms(400);
        sem_post(&done);
      }
      while (!begun) {}
      wait_ms(20);
      pthread_t other;
      over = 0;
      waiting = pthread_self();
      if (signalled && pthread_create(&other, NULL, signals, NULL)) abort();
      struct timespec from, to;
      clock_gettime(CLOCK_MONOTONIC, &from);
      how = waits(kind, ns);
      clock_gettime(CLOCK_MONOTONIC, &to);
      waited_ms = (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000;
      over = 1;
      if (signalled) pthread_join(other, NULL);
    }
  }
  printf("%s %d: %s, %s\n", what, kind, how, waited_ms < 200 ? "at once" : "later");
}

/* The handler runs while the thread that waits does something else: a task, between two looks at what it waits for. (Only where
 * a team of one sets tasks aside.) */
static void wait_beside_task(void) {
  const char* how = NULL;
  sem_init(&done, 0, 0);
  waiting = pthread_self();
#pragma omp parallel num_threads(1) shared(how)
  {
#pragma omp task
    {
      wait_ms(400);
      pthread_kill(waiting, SIGUSR1);
      sem_post(&done);
    }
    struct sigaction action = {.sa_handler = handler};  /* from now on calls park */
    sigaction(SIGUSR1, &action, NULL);
    errno = 0;
    how = ended(sem_wait(&done));
  }
  printf("beside a task: %s\n", how);
}

int main(int count, char** arguments) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  if (count > 1 && !strcmp(arguments[1], "alone")) {
    wait_beside_task();
    return 0;
  }
  for (int kind = 0; kind < 3; ++kind) wait_for_task("signalled", kind, 0, 1);
  for (int kind = 1; kind < 5; ++kind) {
    wait_for_task("negative", kind, -1, 0);
    wait_for_task("a second", kind, 1000000000, 0);
  }
}
