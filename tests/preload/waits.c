/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for another thread: joins, conditions, semaphores, barriers, with and without a limit, met and not.
 * must count: parked */
#include "case.h"

#include <semaphore.h>
#include <sys/file.h>
#include <threads.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER, never_met = PTHREAD_COND_INITIALIZER;
static mtx_t c11_mutex;
static cnd_t c11_condition;
static sem_t semaphore;
static pthread_barrier_t barrier;
static int ready;

static struct timespec in_ms(clockid_t clock, long ms) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_sec += (t.tv_nsec + ms * 1000000) / 1000000000;
  t.tv_nsec = (t.tv_nsec + ms * 1000000) % 1000000000;
  return t;
}
static void *value_late(void *value) {
  nap_ms(20);
  return value;
}
static int c11_value_late(void *value) {
  nap_ms(20);
  return *(int *)value;
}
static void *all_late(void *unused) {
  nap_ms(20);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
  mtx_lock(&c11_mutex);
  ready = 2;
  cnd_signal(&c11_condition);
  mtx_unlock(&c11_mutex);
  for (int i = 0; i < 3; ++i) {
    nap_ms(5);
    sem_post(&semaphore);
  }
  nap_ms(5);
  pthread_barrier_wait(&barrier);
  return unused;
}
static void handler(int signal) { (void)signal; }
static void *interrupt_late(void *thread) {
  nap_ms(30);
  pthread_kill(*(pthread_t *)thread, SIGUSR1);
  return 0;
}

static void joins(void) {
  void *value;
  struct timespec soon = in_ms(CLOCK_REALTIME, 5), late = in_ms(CLOCK_REALTIME, 20000);
  struct timespec late_steady = in_ms(CLOCK_MONOTONIC, 20000);
  say("join", pthread_join(start(value_late, (void *)41), &value));
  say("its value", (long)value);
  pthread_t t = start(value_late, (void *)42);
  say("timedjoin, not met", pthread_timedjoin_np(t, &value, &soon));
  say("timedjoin", pthread_timedjoin_np(t, &value, &late));
  say("its value", (long)value);
  say("clockjoin", pthread_clockjoin_np(start(value_late, (void *)43), &value, CLOCK_MONOTONIC, &late_steady));
  say("its value", (long)value);
  say("join of oneself", pthread_join(pthread_self(), &value));
  thrd_t c11;
  int number = 44;
  thrd_create(&c11, c11_value_late, &number);
  number = 45;
  int got = 0;
  say("thrd_join", thrd_join(c11, &got) == thrd_success);
  say("its value", got);
}

static void conditions(void) {
  pthread_mutex_lock(&mutex);
  struct timespec soon = in_ms(CLOCK_REALTIME, 5), steady = in_ms(CLOCK_MONOTONIC, 5);
  say("condition: timedwait, not met", pthread_cond_timedwait(&never_met, &mutex, &soon));
  say("condition: clockwait, not met", pthread_cond_clockwait(&never_met, &mutex, CLOCK_MONOTONIC, &steady));
  while (ready < 1) pthread_cond_wait(&condition, &mutex);
  say("condition: the mutex is held again", pthread_mutex_trylock(&mutex));
  pthread_mutex_unlock(&mutex);
  mtx_lock(&c11_mutex);
  while (ready < 2) cnd_wait(&c11_condition, &c11_mutex);
  mtx_unlock(&c11_mutex);
}

static void semaphores(void) {
  struct timespec late = in_ms(CLOCK_REALTIME, 20000), steady = in_ms(CLOCK_MONOTONIC, 20000);
  errno = 7;
  say("sem_wait", sem_wait(&semaphore));
  say("errno is left alone", errno);
  say("sem_timedwait", sem_timedwait(&semaphore, &late));
  say("sem_clockwait", sem_clockwait(&semaphore, CLOCK_MONOTONIC, &steady));
}

static void limits_of_semaphores(void) {
  struct timespec soon = in_ms(CLOCK_REALTIME, 5), wrong = {0, -1};
  say("sem_timedwait, not met", sem_timedwait(&semaphore, &soon));
  say("sem_timedwait, no time", sem_timedwait(&semaphore, &wrong));
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, 0);
  pthread_t me = pthread_self(), t = start(interrupt_late, &me);
  say("sem_wait, interrupted", sem_wait(&semaphore));
  pthread_join(t, 0);
}

static void *unlock_late(void *fd) {
  nap_ms(20);
  return flock(*(int *)fd, LOCK_UN) ? 0 : fd;
}
static void locks_of_files(void) {
  char name[64];
  snprintf(name, sizeof name, "/tmp/weir-flock-%d", getpid());
  int first = open(name, O_RDWR | O_CREAT, 0600), second = open(name, O_RDWR);
  unlink(name);
  say("flock", flock(first, LOCK_EX));
  say("flock, held, LOCK_NB", flock(second, LOCK_EX | LOCK_NB));
  pthread_t self = pthread_self(), t = start(unlock_late, &first);
  say("flock waits", flock(second, LOCK_SH));
  void *unlocked;
  pthread_join(t, &unlocked);
  say("unlocked by another", unlocked == &first);
  sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, 0);
  t = start(interrupt_late, &self);
  say("flock, interrupted", flock(first, LOCK_EX));
  pthread_join(t, 0);
  say("flock, no such operation", flock(first, 77));
  close(first), close(second);
  say("flock, closed", flock(first, LOCK_EX));
}

int main(void) {
  mtx_init(&c11_mutex, mtx_plain);
  cnd_init(&c11_condition);
  sem_init(&semaphore, 0, 0);
  pthread_barrier_init(&barrier, 0, 2);
  joins();
  struct timespec soon = in_ms(CLOCK_REALTIME, 5);
  mtx_lock(&c11_mutex);
  say("cnd_timedwait, not met", cnd_timedwait(&c11_condition, &c11_mutex, &soon) == thrd_timedout);
  mtx_unlock(&c11_mutex);
  pthread_t t = start(all_late, 0);
  conditions();
  semaphores();
  int last = pthread_barrier_wait(&barrier);
  say("barrier", last == 0 || last == PTHREAD_BARRIER_SERIAL_THREAD);
  pthread_join(t, 0);
  limits_of_semaphores();
  locks_of_files();
  return 0;
}
