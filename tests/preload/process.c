/* SPDX-License-Identifier: Apache-2.0 */
/* fork, vfork, posix_spawn, system, popen, exec, daemon, all ways to end, and the closing of every descriptor.
 * must count: suspended */
#include "case.h"

#include <spawn.h>
#include <sys/prctl.h>
#include <threads.h>

extern char **environ;
static int p[2];
static char buffer[100];

static void *write_late(void *unused) {
  nap_ms(30);
  write(p[1], "late", 4);
  return unused;
}
static void read_one(const char *what) {
  pthread_t t = start(write_late, 0);
  say(what, read(p[0], buffer, sizeof buffer));
  pthread_join(t, 0);
}
static int ended(pid_t pid) {
  int status = -1;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}
static void *read_for_long(void *fd) {
  say("read while the process forks", read(*(int *)fd, buffer, 4));
  return 0;
}
__attribute__((noinline)) static int vforked(void) {
  int inner = 5;
  pid_t pid = vfork();
  if (!pid) {
    close(77);
    (void)write(p[1], "v", 0);
    execl("/bin/sh", "sh", "-c", "exit 9", (char *)0);
    _exit(1);
  }
  return ended(pid) + inner;
}
__attribute__((noinline)) static int vforked_twice(void) {
  pid_t pid = vfork();
  if (!pid) {
    pid_t inner = vfork();
    if (!inner) _exit(4);
    int status;
    waitpid(inner, &status, 0);
    _exit(WEXITSTATUS(status) + 1);
  }
  return ended(pid);
}
static void at_end(void) { write(1, "at the end\n", 11); }

int main(int argc, char **argv) {
  assert(!pipe(p));
  if (argc > 1) {
    read_one("read in the new program");
    return 6;
  }
  read_one("read before");
  static int q[2]; /* outlives main */
  pipe(q);
  pthread_t t = start(read_for_long, &q[0]);
  nap_ms(30);
  fflush(0);
  pid_t pid = fork();
  if (!pid) {
    read_one("read in the child");
    fflush(0);
    _exit(11);
  }
  printf("fork: %d\n", ended(pid));
  write(q[1], "long", 4);
  pthread_join(t, 0);
  fflush(0);
  pid = _Fork();
  if (!pid) {
    struct timespec nap = {0, 10000000};
    nanosleep(&nap, 0);
    _exit(read(-1, buffer, 1) == -1 && errno == EBADF ? 12 : 13);
  }
  printf("_Fork: %d\n", ended(pid));
  printf("vfork: %d\n", vforked());
  printf("vfork in vfork: %d\n", vforked_twice());
  read_one("read after vfork");
  char *arguments[] = {"sh", "-c", "exit 8", 0};
  posix_spawn(&pid, "/bin/sh", 0, 0, arguments, environ);
  printf("posix_spawn: %d\n", ended(pid));
  printf("system: %d\n", WEXITSTATUS(system("exit 7")));
  FILE *f = popen("sleep 0.05; echo popen", "r");
  printf("popen: %s", fgets(buffer, sizeof buffer, f));
  printf("pclose: %d\n", pclose(f));
  fflush(0);
  pid = fork();
  if (!pid) execl("/proc/self/exe", argv[0], "again", (char *)0);
  printf("exec: %d\n", ended(pid));
  struct { const char *name; void (*end)(int); } ends[] = {{"exit", exit}, {"_exit", _exit}, {"_Exit", _Exit}, {"quick_exit", quick_exit}};
  for (int i = 0; i < 4; ++i) {
    fflush(0);
    if (!(pid = fork())) {
      atexit(at_end);
      start(read_for_long, &q[0]);
      nap_ms(20);
      ends[i].end(20 + i);
    }
    printf("%s: %d\n", ends[i].name, ended(pid));
  }
  fflush(0);
  if (!(pid = fork())) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    abort();
  }
  printf("abort: %d\n", ended(pid));
  const char *leaves[] = {"pthread_exit", "thrd_exit", "a cancellation", "pthread_exit, with a detached one left",
                          "pthread_exit, in a program called as a thread of ours,"};
  for (int i = 0; i < 5; ++i) {
    fflush(0);
    if (!(pid = fork())) {
      atexit(at_end);
      if (i == 4) prctl(PR_SET_NAME, "weir-app");
      pthread_t other = start(read_for_long, &q[0]);
      nap_ms(20);
      if (i == 1) thrd_exit(7);
      if (i == 2) pthread_cancel(pthread_self()), pthread_testcancel();
      if (i == 3) pthread_detach(other);
      pthread_exit(0);
    }
    nap_ms(50);
    write(q[1], "done", 4);
    printf("%s of the first thread: %d\n", leaves[i], ended(pid));
  }
  say("setuid", setuid(getuid()));
  /* A daemon's way: all descriptors but the standard ones are closed. The lowest free ones are the program's again. */
  closefrom(3);
  assert(!pipe(p));
  printf("pipe after closefrom: %d %d\n", p[0], p[1]);
  read_one("read after closefrom");
  close_range(3, ~0u, 0);
  assert(!pipe(p));
  read_one("read after close_range");
  for (int fd = 3; fd < 64; ++fd) dup2(p[0], fd + 100);
  read_one("read after dup2 over everything");
  return 5;
}
