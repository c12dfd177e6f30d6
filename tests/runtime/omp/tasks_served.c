/* SPDX-License-Identifier: Apache-2.0 */
/* A server has one client after the other, in the order in which they came, and each wholly: three times it is asked, and answers.
 * Clients are tasks, so some come while others on their thread are served. Every other one waits for its first answer in a way that
 * no readiness tells of; or by many short waits. Who blocks its thread so while a task on it is served waits for ever.
 * Arguments: that way; `locked`: with a lock held; `child`: with one held, while a child is served; `creator`: so, while every third is
 * served by who creates the tasks, and waits that way for its second answer, and who comes right after it for its first; `children`:
 * that way by children, one after the other, and the other ones with a lock held. Knows nothing of weir. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most_clients = 12, mark = 100 };

static struct shared {
  pthread_barrier_t barriers[most_clients];
  pthread_mutex_t mutexes[most_clients];
  pthread_cond_t conditions[most_clients];
  sem_t semaphores[most_clients];
  int flags[most_clients], begun;
} * shared;
static int coming[2], asked[most_clients][2], answers[most_clients][2];
static int events[most_clients], sockets[most_clients][2], listeners[most_clients], files[most_clients][2];
static char names[most_clients][64];
static pid_t processes[most_clients];
static int clients = 6, by_creator;
static const char* way;
static omp_lock_t locks[most_clients];
static int owner;

static int is(const char* word) { return !strcmp(way, word); }

static void check(int done) {
  if (done) return;
  perror("tasks_served");
  _exit(2);
}

static int address(int i, struct sockaddr_un* to) {
  memset(to, 0, sizeof *to);
  to->sun_family = AF_UNIX;
  return (int)sizeof to->sun_family + 1 + sprintf(to->sun_path + 1, "weir.served.%d.%d", owner, i);
}

static int connected(int i) {
  struct sockaddr_un to;
  const socklen_t size = (socklen_t)address(i, &to);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  return connect(fd, (struct sockaddr*)&to, size) ? -1 : fd;
}

// A queue with room for one, who is there already.
static void listen_full(int i) {
  struct sockaddr_un to;
  const socklen_t size = (socklen_t)address(i, &to);
  listeners[i] = socket(AF_UNIX, SOCK_STREAM, 0);
  check(!bind(listeners[i], (struct sockaddr*)&to, size) && !listen(listeners[i], 0) && connected(i) >= 0);
}

static int change(int fd, int command, short type) {
  struct flock lock = {0};
  lock.l_type = type;
  return fcntl(fd, command, &lock);
}

// By two locks of the server's process: a client has that of the first byte of its file already.
static void make_file(int i) {
  char name[64];
  sprintf(name, "served.%d.%d", (int)getpid(), i);
  check((files[i][0] = open(name, O_RDWR | O_CREAT, 0600)) >= 0 && (files[i][1] = open(name, O_RDWR)) >= 0);
  unlink(name);
}

// It ends when it is told to.
static void make_process(int i) {
  char c;
  if ((processes[i] = fork())) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  _exit(read(sockets[i][0], &c, 1) != 1);
}

static void make(int i) {
  const int low = mark;
  check(!pipe(asked[i]) && !pipe(answers[i]) && !socketpair(AF_UNIX, SOCK_STREAM, 0, sockets[i]));
  if (is("low")) check(!setsockopt(sockets[i][0], SOL_SOCKET, SO_RCVLOWAT, &low, sizeof low));
  if (is("connect")) listen_full(i);
  if (is("lockf")) make_file(i);
  if (is("process")) make_process(i);
  const uint64_t full = UINT64_MAX - 1;
  check((events[i] = eventfd(0, 0)) >= 0 && write(events[i], &full, sizeof full) == sizeof full);
  sprintf(names[i], "served.fifo.%d.%d", (int)getpid(), i);
  unlink(names[i]);  // of a run that was ended
  if (is("open") || is("fopen")) check(!mkfifo(names[i], 0600));
  pthread_barrierattr_t ba;
  pthread_barrierattr_init(&ba);
  pthread_barrierattr_setpshared(&ba, 1);
  pthread_barrier_init(&shared->barriers[i], &ba, 2);
  pthread_mutexattr_t ma;
  pthread_mutexattr_init(&ma);
  pthread_mutexattr_setpshared(&ma, 1);
  pthread_mutex_init(&shared->mutexes[i], &ma);
  pthread_condattr_t ca;
  pthread_condattr_init(&ca);
  pthread_condattr_setpshared(&ca, 1);
  pthread_cond_init(&shared->conditions[i], &ca);
  sem_init(&shared->semaphores[i], 1, 0);
  omp_init_lock(&locks[i]);
}

static void signal_flag(int i) {
  pthread_mutex_lock(&shared->mutexes[i]);
  shared->flags[i] = 1;
  pthread_cond_signal(&shared->conditions[i]);
  pthread_mutex_unlock(&shared->mutexes[i]);
}

static void answer_so(int i) {
  char all[mark] = {0};
  uint64_t events_there;
  int other = -1;
  if (is("low")) check(write(sockets[i][1], all, mark) == mark);
  else if (is("event")) check(read(events[i], &events_there, sizeof events_there) == sizeof events_there);
  else if (is("connect")) check((other = accept(listeners[i], NULL, NULL)) >= 0);
  else if (is("open") || is("fopen")) check((other = open(names[i], O_WRONLY)) >= 0 && write(other, "x", 1) == 1);
  else if (is("lockf")) check(!change(files[i][1], F_SETLK, F_UNLCK));
  else if (is("process")) check(write(sockets[i][1], all, 1) == 1);
  else if (is("barrier")) pthread_barrier_wait(&shared->barriers[i]);
  else if (is("mutex")) pthread_mutex_unlock(&shared->mutexes[i]);
  else if (is("semaphore")) sem_post(&shared->semaphores[i]);
  else if (is("condition") || is("conditions")) signal_flag(i);
  else __atomic_store_n(&shared->flags[i], 1, __ATOMIC_RELEASE);
}

static int timed(int (*wait)(int, const struct timespec*), int i, long ns) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += ns;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  return wait(i, &until);
}
static int by_mutex(int i, const struct timespec* until) { return pthread_mutex_timedlock(&shared->mutexes[i], until); }
static int by_semaphore(int i, const struct timespec* until) { return sem_timedwait(&shared->semaphores[i], until); }

static int by_condition(int i, const struct timespec* until) {
  return pthread_cond_timedwait(&shared->conditions[i], &shared->mutexes[i], until);
}

static int wait_for_flag(int i) {
  pthread_mutex_lock(&shared->mutexes[i]);
  while (!shared->flags[i]) {
    if (is("conditions")) timed(by_condition, i, 100000);
    else pthread_cond_wait(&shared->conditions[i], &shared->mutexes[i]);
  }
  return !pthread_mutex_unlock(&shared->mutexes[i]);
}

static void wait_a_moment(void) {
  struct timeval moment = {0, 1000};
  if (is("sleeps")) usleep(1000);
  else if (is("polls")) poll(NULL, 0, 1);
  else if (is("selects")) select(0, NULL, NULL, NULL, &moment);
  else sched_yield();
}

static int open_end(int i) {
  if (is("open")) return open(names[i], O_RDONLY);
  FILE* file = fopen(names[i], "r");
  return file ? fileno(file) : -1;
}

static int wait_so(int i) {
  char all[2 * mark];
  if (is("low")) return read(sockets[i][0], all, sizeof all) == mark;
  const uint64_t one = 1;
  if (is("event")) return write(events[i], &one, sizeof one) == sizeof one;
  if (is("connect")) return connected(i) >= 0;
  if (is("open") || is("fopen")) {
    int end = open_end(i);
    unlink(names[i]);
    return end >= 0 && read(end, all, 1) == 1;
  }
  if (is("lockf")) return !change(files[i][0], F_SETLKW, F_WRLCK);
  if (is("process")) return waitpid(processes[i], NULL, 0) == processes[i];
  if (is("barrier")) return pthread_barrier_wait(&shared->barriers[i]) <= 0;
  if (is("mutex")) return !timed(by_mutex, i, 999999999) || !timed(by_mutex, i, 999999999) || !timed(by_mutex, i, 999999999);
  if (is("semaphore")) {
    while (timed(by_semaphore, i, 100000)) {}
    return 1;
  }
  if (is("condition") || is("conditions")) return wait_for_flag(i);
  while (!__atomic_load_n(&shared->flags[i], __ATOMIC_ACQUIRE)) wait_a_moment();
  return 1;
}

static int is_answered_so(int i, int step) { return by_creator ? i % 3 == 2 * step : step == 0 && i % 2; }

static void serve(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int i = 0; i < clients; ++i) {
    if (is("lockf")) check(!change(files[i][1], F_SETLK, F_WRLCK));
    if (is("mutex")) pthread_mutex_lock(&shared->mutexes[i]);
  }
  __atomic_store_n(&shared->begun, 1, __ATOMIC_RELEASE);
  for (int served = 0; served < clients; ++served) {
    char i, c;
    check(read(coming[0], &i, 1) == 1);
    for (int step = 0; step < 3; ++step) {
      check(read(asked[(int)i][0], &c, 1) == 1);
      usleep(3000);
      if (is_answered_so(i, step)) answer_so(i);
      else check(write(answers[(int)i][1], &c, 1) == 1);
    }
  }
  _exit(0);
}

static void come(int i) {
  char me = (char)i;
  check(write(coming[1], &me, 1) == 1);
}

static int be_answered(int i, int step) {
  char c = 0;
  check(write(asked[i][1], "a", 1) == 1);
  return is_answered_so(i, step) ? wait_so(i) : read(answers[i][0], &c, 1) == 1;
}

static int be_served(int i) {
  int sum = 0;
  come(i);
  for (int step = 0; step < 3; ++step) sum += be_answered(i, step);
  return sum;
}

static int be_served_by_children(int i) {
  int sum = 0;
  come(i);
  for (int step = 0; step < 3; ++step) {
#pragma omp task shared(sum) depend(inout : sum)
    sum += be_answered(i, step);
  }
#pragma omp taskwait
  return sum;
}

enum how { plainly, locked, by_child, by_children };

static int be_served_locked(int i, enum how how) {
  int sum = 0;
  omp_set_lock(&locks[i]);
  if (how == by_child) {
#pragma omp task shared(sum)
    sum = be_served(i);
#pragma omp taskwait
  } else {
    sum = be_served(i);
  }
  omp_unset_lock(&locks[i]);
  return sum;
}

static int be_served_as(int i, enum how how) {
  const int odd = i % 2;
  if (how == by_children) return odd ? be_served_by_children(i) : be_served_locked(i, locked);
  return how != plainly && odd ? be_served_locked(i, how) : be_served(i);
}

static void add(int* sum, int mine) {
#pragma omp atomic
  *sum += mine;
}

int main(int count, char** words) {
  int sum = 0;
  way = count > 1 ? words[1] : "low";
  const char* word = count > 2 ? words[2] : "";
  by_creator = !strcmp(word, "creator");
  if (by_creator) clients = most_clients;
  const enum how how = !strcmp(word, "locked") ? locked : !strcmp(word, "child") || by_creator ? by_child
                       : !strcmp(word, "children") ? by_children : plainly;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  check(shared != MAP_FAILED && !pipe(coming));
  owner = (int)getpid();
  for (int i = 0; i < clients; ++i) make(i);
  if (!fork()) serve();
  while (!__atomic_load_n(&shared->begun, __ATOMIC_ACQUIRE)) usleep(100);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < clients; ++i) {
    if (by_creator && i % 3 == 2) {
      add(&sum, be_served_as(i, how));
    } else {
#pragma omp task shared(sum)
      add(&sum, be_served_as(i, how));
    }
  }
  for (int i = 0; i < clients; i++) unlink(names[i]);
  printf("served: %d\n", sum);
  return 0;
}
