/* SPDX-License-Identifier: Apache-2.0 */
/* iopa.h as a C program uses it: every file once, whatever the number of threads does meanwhile; misuse has its errors. */
#include <weir/iopa.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what, long value, int line) {
  fprintf(stderr, "line %d: %s (%ld)\n", line, what, value);
  exit(1);
}
#define EXPECT(condition, value) ((condition) ? (void)0 : fail(#condition, (long)(value), __LINE__))
#define EXPECT_IS(call, wanted)                      \
  do {                                               \
    long got = (call);                               \
    if (got != (long)(wanted)) fail(#call, got, __LINE__); \
  } while (0)

enum { most = 20000 };
static const char *names[most];
static atomic_int seen[most];
static atomic_int calls_of_fn, at_once, peak, decisions, highest_wanted;

static void see(const char *name) { atomic_fetch_add(&seen[atoi(name)], 1); }

static void rest(long us) {
  struct timespec t = {0, us * 1000};
  nanosleep(&t, NULL);
}

static void *loops(void *arg) {
  atomic_fetch_add(&calls_of_fn, 1);
  int now = atomic_fetch_add(&at_once, 1) + 1;
  int before = atomic_load(&peak);
  while (now > before && !atomic_compare_exchange_weak(&peak, &before, now)) {}
  for (const char *name; (name = IOPA_NextFile());) {
    see(name);
    rest(arg ? *(long *)arg : 0);
  }
  EXPECT(IOPA_NextFile() == NULL, 0);  /* told once, told for good */
  atomic_fetch_sub(&at_once, 1);
  return NULL;
}

static void *takes_one(void *arg) {
  (void)arg;
  const char *name = IOPA_NextFile();
  if (name) see(name);
  return NULL;
}

static void *takes_none(void *arg) { return arg; }

static void *misuses(void *arg) {
  EXPECT_IS(IOPA_WaitComplete(), -EDEADLK);
  EXPECT_IS(IOPA_Close(), -EDEADLK);
  EXPECT_IS(IOPA_CreateThreads(loops, NULL, names, 1), -EBUSY);
  EXPECT_IS(IOPA_Init(NULL), -EALREADY);
  return loops(arg);
}

static void *signals_are_mine(void *arg) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  EXPECT(sigismember(&mask, SIGUSR2) == 1 && sigismember(&mask, SIGUSR1) == 0, 0);
  return loops(arg);
}

static void heard(const IOPA_Decision *decision, void *user) {
  EXPECT(user == names, 0);
  EXPECT(decision->threads >= 1 && decision->threads <= 128, decision->threads);
  EXPECT(decision->state && decision->reason, 0);
  atomic_fetch_add(&decisions, 1);
  if (decision->threads > atomic_load(&highest_wanted)) atomic_store(&highest_wanted, decision->threads);
}

static void run_all(IOPA_ThreadFn fn, void *arg, int count) {
  for (int i = 0; i < count; ++i) atomic_store(&seen[i], 0);
  EXPECT_IS(IOPA_CreateThreads(fn, arg, names, count), 0);
  EXPECT_IS(IOPA_WaitComplete(), 0);
  for (int i = 0; i < count; ++i) EXPECT(atomic_load(&seen[i]) == 1, i);
  EXPECT(atomic_load(&at_once) == 0, atomic_load(&at_once));
}

static void misuse(void) {
  EXPECT(IOPA_NextFile() == NULL, 0);
  EXPECT_IS(IOPA_CreateThreads(loops, NULL, names, 1), -EPERM);
  EXPECT_IS(IOPA_WaitComplete(), -EPERM);
  EXPECT_IS(IOPA_Close(), -EPERM);
  IOPA_Config config = {0};
  EXPECT_IS(IOPA_Init(&config), -EINVAL);
  config.size = sizeof config;
  config.algorithm = 7;
  EXPECT_IS(IOPA_Init(&config), -EINVAL);
  config.algorithm = IOPA_ALGORITHM_WEIR;
  config.min_threads = 9;
  config.max_threads = 8;
  EXPECT_IS(IOPA_Init(&config), -EINVAL);
  config.max_threads = 65537;
  EXPECT_IS(IOPA_Init(&config), -EINVAL);
  config.max_threads = 65536;
  config.previous_average_num = 17;
  EXPECT_IS(IOPA_Init(&config), -EINVAL);
  config.previous_average_num = 16;
  EXPECT_IS(IOPA_Init(&config), 0);
  EXPECT_IS(IOPA_Close(), 0);

  EXPECT_IS(IOPA_Init(NULL), 0);
  EXPECT_IS(IOPA_Init(NULL), -EALREADY);
  EXPECT_IS(IOPA_WaitComplete(), 0);
  EXPECT_IS(IOPA_CreateThreads(NULL, NULL, names, 1), -EINVAL);
  EXPECT_IS(IOPA_CreateThreads(loops, NULL, NULL, 1), -EINVAL);
  EXPECT_IS(IOPA_CreateThreads(loops, NULL, names, 0), -EINVAL);
  const char *holes[] = {"0", NULL};
  EXPECT_IS(IOPA_CreateThreads(loops, NULL, holes, 2), -EINVAL);
  EXPECT(IOPA_NextFile() == NULL, 0);
  long us = 2000;
  run_all(misuses, &us, 20);

  us = 200000;
  EXPECT_IS(IOPA_CreateThreads(loops, &us, names, 4), 0);
  EXPECT_IS(IOPA_CreateThreads(loops, &us, names, 4), -EBUSY);
  EXPECT_IS(IOPA_Close(), -EBUSY);
  EXPECT_IS(IOPA_WaitComplete(), 0);

  EXPECT_IS(IOPA_CreateThreads(takes_none, NULL, names, 100), 0);
  EXPECT_IS(IOPA_WaitComplete(), -ECANCELED);
  run_all(takes_one, NULL, 500);

  sigset_t usr2, before;
  sigemptyset(&usr2);
  sigaddset(&usr2, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &usr2, &before);
  us = 20000;
  run_all(signals_are_mine, &us, 100);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  EXPECT_IS(IOPA_Close(), 0);
  EXPECT_IS(IOPA_Close(), -EPERM);
}

static void every_file_once(int algorithm) {
  IOPA_Config config = {.size = sizeof config, .algorithm = algorithm, .cores = 8, .on_decision = heard, .user = names};
  EXPECT_IS(IOPA_Init(&config), 0);
  for (int round = 0; round < 5; ++round) run_all(loops, NULL, most);
  long us = 100;
  run_all(loops, &us, most / 5);
  EXPECT_IS(IOPA_Close(), 0);
}

/* Each of these reads moves little and waits long: the more threads the better, and the controller finds that out. */
static void *reads_and_waits(void *arg) {
  (void)arg;
  for (const char *name; (name = IOPA_NextFile());) {
    see(name);
    char byte;
    FILE *zero = fopen("/dev/zero", "r");
    EXPECT(zero && fread(&byte, 1, 1, zero) == 1, 0);
    fclose(zero);
    rest(2000);
  }
  return NULL;
}

static void the_controller_resizes(void) {
  IOPA_Config config = {.size = sizeof config, .cores = 4, .max_threads = 64, .on_decision = heard, .user = names};
  EXPECT_IS(IOPA_Init(&config), 0);
  atomic_store(&decisions, 0);
  atomic_store(&highest_wanted, 0);
  run_all(reads_and_waits, NULL, most / 2);
  EXPECT(atomic_load(&decisions) > 0, 0);
  EXPECT(atomic_load(&highest_wanted) > 8, atomic_load(&highest_wanted));
  EXPECT_IS(IOPA_Close(), 0);
}

/* Its thread is over with the file; another has the next one. */
static void *leaves_its_thread(void *arg) {
  const char *name = IOPA_NextFile();
  if (name) see(name);
  if (name || arg) pthread_exit(NULL);
  return NULL;
}

static void fn_ends_its_thread(void) {
  IOPA_Config config = {.size = sizeof config, .max_threads = 4};
  EXPECT_IS(IOPA_Init(&config), 0);
  run_all(leaves_its_thread, NULL, 200);
  run_all(leaves_its_thread, names, 200);
  EXPECT_IS(IOPA_Close(), 0);
}

static void bounds_hold(void) {
  IOPA_Config config = {.size = sizeof config, .cores = 64, .min_threads = 3, .max_threads = 5};
  EXPECT_IS(IOPA_Init(&config), 0);
  atomic_store(&peak, 0);
  long us = 1000;
  run_all(loops, &us, 2000);
  EXPECT(atomic_load(&peak) <= 5 && atomic_load(&peak) >= 3, atomic_load(&peak));
  EXPECT_IS(IOPA_Close(), 0);
}

#if !defined __SANITIZE_THREAD__ && !defined __SANITIZE_ADDRESS__ /* whose locks its threads may hold at the fork */
static void a_child_starts_clean(void) {
  EXPECT_IS(IOPA_Init(NULL), 0);
  long us = 100000;
  EXPECT_IS(IOPA_CreateThreads(loops, &us, names, 50), 0);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    EXPECT_IS(IOPA_WaitComplete(), 0);
    EXPECT_IS(IOPA_Close(), 0);
    EXPECT_IS(IOPA_Init(NULL), 0);
    atomic_store(&at_once, 0);
    run_all(loops, NULL, 100);
    EXPECT_IS(IOPA_Close(), 0);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  EXPECT(status == 0, status);
  EXPECT_IS(IOPA_WaitComplete(), 0);
  EXPECT_IS(IOPA_Close(), 0);
}
#endif

int main(void) {
  alarm(100);
  for (int i = 0; i < most; ++i) {
    char text[16];
    snprintf(text, sizeof text, "%d", i);
    names[i] = strdup(text);
  }
  misuse();
  every_file_once(IOPA_ALGORITHM_WEIR);
  every_file_once(IOPA_ALGORITHM_PUBLISHED);
  the_controller_resizes();
  fn_ends_its_thread();
  bounds_hold();
#if !defined __SANITIZE_THREAD__ && !defined __SANITIZE_ADDRESS__ /* TSan's run-time forbids threads after fork */
  a_child_starts_clean();
#endif
  for (int i = 0; i < most; ++i) free((void *)names[i]);
  puts("ok");
  return 0;
}
