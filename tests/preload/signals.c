/* SPDX-License-Identifier: Apache-2.0 */
/* Signals and calls: EINTR with and without SA_RESTART, handlers that make calls, what sigaction gives back, SIGPIPE,
 * SIGXFSZ, cancellation. must count: eintr_wanted suspended cancellable */
#include "case.h"

#include <setjmp.h>

static int p[2];
static volatile int rang, over;
static char buffer[1 << 17];

static void ring(int sig) {
  int before = errno;
  ++rang;
  char c;
  /* A handler may call what it likes of these. */
  write(p[1], "h", 0);
  (void)read(-1, &c, 1);
  (void)sig;
  errno = before;
}
static void ring3(int sig, siginfo_t *info, void *context) {
  rang += info->si_signo == sig && context ? 1 : 100;
}
static void install(int sig, void (*handler)(int), int flags) {
  struct sigaction a = {.sa_handler = handler, .sa_flags = flags};
  assert(!sigaction(sig, &a, 0));
}
/* The first thread's state, and how often it gave its core up by itself. */
static int asleep(long *switches) {
  char name[64], text[4096];
  snprintf(name, sizeof name, "/proc/self/task/%d/status", getpid());
  int fd = open(name, O_RDONLY);
  long bytes = read(fd, text, sizeof text - 1);
  close(fd);
  text[bytes > 0 ? bytes : 0] = 0;
  const char *state = strstr(text, "State:\t"), *count = strstr(text, "\nvoluntary_ctxt_switches:\t");
  *switches = count ? atol(count + 26) : 0;
  return state && state[7] == 'S';
}
/* Until the first thread waits in the call that it is about to make: it sleeps, the same sleep, for some looks in a row. False:
 * its call is over. */
static int waits(void) {
  long before = -1, now;
  for (int looks = 0; looks < 6; before = now) {
    if (over) return 0;
    looks = asleep(&now) && now == before ? looks + 1 : 0;
    nap_ms(3);
  }
  return 1;
}
/* So many signals while the first thread waits, one a wait; then, where it waits still, what ends a read. */
static void *interrupt(void *times) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, 0);
  for (long i = 0; i < (long)times && waits(); ++i) {
    int before = rang;
    kill(getpid(), SIGALRM);
    while (rang == before) nap_ms(1);
  }
  waits();
  write(p[1], "late", 4);
  return 0;
}
static pthread_t interrupts(long times) {
  rang = over = 0;
  return start(interrupt, (void *)times);
}
/* The call is over. What is in the pipe then? */
static long rest(pthread_t interrupter) {
  over = 1;
  pthread_join(interrupter, 0);
  char data[16];
  fcntl(p[0], F_SETFL, O_NONBLOCK);
  long bytes = read(p[0], data, 16);
  fcntl(p[0], F_SETFL, 0);
  return bytes;
}

static void interrupted(int flags, const char *how) {
  printf("-- %s\n", how);
  install(SIGALRM, ring, flags);
  char data[16];
  for (int i = 0; i < 6; ++i) {
    errno = 0;
    struct pollfd one = {p[0], POLLIN, 0};
    struct timespec span = {10, 0}, left = {99, 9};
    struct epoll_event event = {.events = EPOLLIN}, got;
    int e;
    pthread_t t = interrupts(1);
    switch (i) {
      case 0: say("read", read(p[0], data, 4)); break;
      case 1: say("poll", poll(&one, 1, 10000)); break;
      case 2:
        say("nanosleep", nanosleep(&span, &left));
        printf("left %d\n", left.tv_sec < 10 && left.tv_sec + left.tv_nsec > 0);
        break;
      case 3: say("usleep", usleep(10000000)); break;
      case 4:
        e = epoll_create1(0);
        epoll_ctl(e, EPOLL_CTL_ADD, p[0], &event);
        say("epoll_wait", epoll_wait(e, &got, 1, 10000));
        close(e);
        break;
      case 5: say("clock_nanosleep", clock_nanosleep(CLOCK_MONOTONIC, 0, &span, &left)); break;
    }
    long left_over = rest(t);
    printf("rang %d, left in the pipe %ld\n", rang, left_over);
  }
  pthread_t t = interrupts(1);
  printf("sleep: %d\n", sleep(10) > 0);
  rest(t);
  int s[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, s);
  struct timeval limit = {10, 0};
  setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  t = interrupts(1);
  say("recv with a limit", recv(s[0], data, 4, 0));
  rest(t);
  memset(buffer, 0, sizeof buffer);
  if (!(flags & SA_RESTART)) {
    t = interrupts(2);
    long sent = write(s[1], buffer, sizeof buffer) + write(s[1], buffer, sizeof buffer);
    say("write is cut short", sent > 0);
    rest(t);
  }
  close(s[0]), close(s[1]);
}

static void given_back(void) {
  printf("-- what is given back\n");
  struct sigaction a = {.sa_sigaction = ring3, .sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER}, old, now;
  sigaddset(&a.sa_mask, SIGUSR2);
  sigaction(SIGUSR1, &a, &old);
  printf("first: default %d\n", old.sa_handler == SIG_DFL);
  sigaction(SIGUSR1, 0, &now);
  printf("mine %d flags %x mask %d\n", now.sa_sigaction == ring3, now.sa_flags & ~0x04000000, sigismember(&now.sa_mask, SIGUSR2));
  printf("signal: before %d\n", (void *)signal(SIGUSR1, ring) == (void *)ring3);
  printf("signal: before %d\n", signal(SIGUSR1, SIG_IGN) == ring);
  printf("signal: before %d\n", signal(SIGUSR1, SIG_DFL) == SIG_IGN);
  printf("sigset: before %d\n", sigset(SIGUSR1, ring) == SIG_DFL);
  printf("sigset: hold %d\n", sigset(SIGUSR1, SIG_HOLD) == ring);
  printf("sigset: was held %d\n", sigset(SIGUSR1, ring) == SIG_HOLD);
  printf("sigignore: %d\n", sigignore(SIGUSR1));
  sigaction(SIGUSR1, 0, &now);
  printf("ignored %d\n", now.sa_handler == SIG_IGN);
  say("signal: no such", signal(99, ring) == SIG_ERR ? -1 : 0);
  say("sigaction: SIGKILL", sigaction(SIGKILL, &a, 0));
  say("sigaction: no such", sigaction(0, &a, &old));
  siginterrupt(SIGUSR1, 1);
  signal(SIGUSR1, ring);
  sigaction(SIGUSR1, 0, &now);
  printf("siginterrupt: restarts %d\n", !!(now.sa_flags & SA_RESTART));
  siginterrupt(SIGUSR1, 0);
  sigaction(SIGUSR1, 0, &now);
  printf("siginterrupt: restarts %d\n", !!(now.sa_flags & SA_RESTART));
  a.sa_flags = SA_SIGINFO | SA_RESETHAND;
  sigaction(SIGUSR1, &a, 0);
  rang = 0;
  raise(SIGUSR1);
  sigaction(SIGUSR1, 0, &now);
  printf("reset after one: rang %d default %d\n", rang, now.sa_handler == SIG_DFL);
}

static sigjmp_buf back;
static void jump(int sig) {
  ++rang;
  siglongjmp(back, sig);
}
static void jumps(void) {
  printf("-- out of a handler by a jump\n");
  char data[4];
  for (int i = 0; i < 3; ++i) {
    install(SIGALRM, jump, SA_RESTART);
    pthread_t t = interrupts(1);
    if (!sigsetjmp(back, 1)) {
      read(p[0], data, 4);
      printf("not reached\n");
    } else {
      printf("jumped\n");
    }
    rest(t);
  }
  signal(SIGALRM, SIG_DFL);
  pthread_t t = interrupts(0);
  say("read after it", read(p[0], data, 4));
  rest(t);
}

static int child(void (*body)(void)) {
  fflush(0);
  pid_t pid = fork();
  if (!pid) {
    body();
    _exit(3);
  }
  int status;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}
static void broken_pipe(void) {
  int q[2];
  pipe(q);
  close(q[0]);
  write(q[1], "x", 1);
}
static void broken_socket(void) {
  int s[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, s);
  close(s[0]);
  send(s[1], "x", 1, 0);
}
static void broken_after_part(void) {
  int q[2];
  pipe(q);
  if (!fork()) {
    close(q[1]);
    usleep(50000);
    read(q[0], buffer, 10);
    _exit(0);
  }
  close(q[0]);
  write(q[1], buffer, sizeof buffer);
}
static void too_big(void) {
  struct rlimit limit = {1000, 1000};
  setrlimit(RLIMIT_FSIZE, &limit);
  int fd = temporary(0);
  write(fd, buffer, 900);
  write(fd, buffer, 900);
  write(fd, buffer, 900);
}
static void too_big_at(void) {
  struct rlimit limit = {1000, 1000};
  setrlimit(RLIMIT_FSIZE, &limit);
  pwrite(temporary(0), buffer, 10, 5000);
}
static void interrupted_by_default(void) {
  struct itimerval soon = {.it_value = {0, 20000}};
  setitimer(ITIMER_REAL, &soon, 0);
  char c;
  int q[2];
  pipe(q);
  signal(SIGALRM, SIG_DFL);
  read(q[0], &c, 1);
}

static void cleanup(void *said) { printf("cleaned up after %s\n", (char *)said); }
static void *wait_for_ever(void *said) {
  char c;
  pthread_cleanup_push(cleanup, said);
  read(p[0], &c, 1);
  pthread_cleanup_pop(0);
  return 0;
}

int main(void) {
  assert(!pipe(p));
  interrupted(SA_RESTART, "with SA_RESTART");
  interrupted(0, "without SA_RESTART");
  signal(SIGALRM, SIG_DFL);
  given_back();
  jumps();
  printf("-- what kills\n");
  printf("pipe %d\n", child(broken_pipe));
  printf("socket %d\n", child(broken_socket));
  printf("pipe, after part %d\n", child(broken_after_part));
  printf("file %d\n", child(too_big));
  printf("file, at an offset %d\n", child(too_big_at));
  printf("alarm %d\n", child(interrupted_by_default));
  printf("-- cancellation\n");
  signal(SIGUSR1, SIG_DFL); /* no handler is left that would keep calls interruptible */
  pthread_t sleeper = start((void *(*)(void *))pause, 0);
  pthread_cancel(sleeper);
  pthread_join(sleeper, 0);
  pthread_t t = start(wait_for_ever, "a read");
  nap_ms(30);
  pthread_cancel(t);
  void *result;
  pthread_join(t, &result);
  printf("cancelled %d\n", result == PTHREAD_CANCELED);
  return 0;
}
