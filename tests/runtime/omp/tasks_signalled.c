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

static void set_ms(int timer, int ms) {
  timerfd_settime(timer, 0, &(struct itimerspec){.it_value = {ms / 1000, ms % 1000 * 1000000L}}, NULL);
}

static void wait_for(int timer) {
  uint64_t times = 0;
  if (read(timer, &times, sizeof times) != sizeof times) abort();
}

static void wait_ms(int ms) {
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  set_ms(timer, ms);
  wait_for(timer);
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

/* Waits while a task of the other thread is set aside: for TASK_MS, or until this wait has ended before. In a team of one there
 * is nobody to wait for. */
static void wait_for_task(const char* what, int kind, long ns, int signalled, int task_ms) {
  const char* how = NULL;
  volatile int posted = 0;
  int later = 0;
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  sem_init(&done, 0, 0);
#pragma omp parallel num_threads(2) shared(how, posted, later)
  {
#pragma omp master
    {
      volatile int begun = 0;
      set_ms(timer, task_ms);
#pragma omp task shared(begun, posted)
      {
        begun = 1;
        wait_for(timer);
        posted = 1;
        sem_post(&done);
      }
      while (!begun) {}
      wait_ms(20);
      pthread_t other;
      over = 0;
      waiting = pthread_self();
      if (signalled && pthread_create(&other, NULL, signals, NULL)) abort();
      how = waits(kind, ns);
      later = posted;
      over = 1;
      if (!later) set_ms(timer, 1);
      if (signalled) pthread_join(other, NULL);
    }
  }
  close(timer);
  printf("%s %d: %s, %s\n", what, kind, how, later ? "later" : "at once");
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
  wait_for_task("signalled", 0, 0, 1, 400);
  for (int kind = 1; kind < 3; ++kind) wait_for_task("signalled", kind, 0, 1, 5000);
  for (int kind = 1; kind < 5; ++kind) {
    wait_for_task("negative", kind, -1, 0, 5000);
    wait_for_task("a second", kind, 1000000000, 0, 5000);
  }
}
