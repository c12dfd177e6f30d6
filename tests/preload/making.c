/* SPDX-License-Identifier: Apache-2.0 */
/* All that makes descriptors without a wait: what each makes is what it should be, and works; where it may make none it says why. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void say(const char *name, int made) {
  int error = errno;
  struct stat is;
  int known = made >= 0 && !fstat(made, &is);
  printf("%s: %s, of kind %o, flags %x and %x; errno %d\n", name, made >= 0 ? "made" : "not made", known ? is.st_mode & S_IFMT : 0,
         known ? fcntl(made, F_GETFL) : 0, known ? fcntl(made, F_GETFD) : 0, error);
  if (made >= 0) close(made);
  errno = ENOTEMPTY;
}

static void say_two(const char *name, int result, const int *ends) {
  int error = errno;
  char got[4] = "";
  if (!result) {
    if (write(ends[1], "abc", 3) != 3 || read(ends[0], got, 3) != 3) printf("%s: no use\n", name);
  }
  errno = error;
  say(name, result ? result : ends[0]);
  if (!result) close(ends[1]);
  printf("  through it: %s\n", got);
  errno = ENOTEMPTY;
}

static void say_stream(const char *name, FILE *stream, int (*end)(FILE *)) {
  int error = errno;
  char line[16] = "";
  int read_back = stream && (end == pclose || (fputs("line\n", stream) >= 0 && !fseek(stream, 0, SEEK_SET)));
  if (read_back && !fgets(line, sizeof line, stream)) strcpy(line, "nothing");
  printf("%s: %s, errno %d, reads %s", name, stream ? "made" : "not made", error, *line ? line : "nothing\n");
  if (stream) printf("  ends with %d\n", end(stream));
  errno = ENOTEMPTY;
}

static void say_temporary(const char *name, int made, char *path) {
  char pattern[] = "/tmp/weir-making-XXXXXX";
  int alike = 0;
  for (size_t i = 0; path[i] && path[i] == pattern[i]; ++i) ++alike;
  say(name, made);
  printf("  %s\n", alike >= 17 && strcmp(path, pattern) ? "a name of its own" : path);
  if (made >= 0) unlink(path);
  errno = ENOTEMPTY;
}

static void make_all(void) {
  int ends[2];
  char path[32];
  say("socket", socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  say("socket of no kind", socket(AF_UNIX, 77, 0));
  say_two("socketpair", socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), ends);
  say_two("pipe", pipe(ends), ends);
  say_two("pipe2", pipe2(ends, O_CLOEXEC | O_NONBLOCK), ends);
  say_two("pipe2 of no kind", pipe2(ends, 77), ends);
  say("eventfd", eventfd(3, EFD_NONBLOCK));
  say("epoll_create", epoll_create(5));
  say("epoll_create of none", epoll_create(0));
  say("epoll_create1", epoll_create1(EPOLL_CLOEXEC));
  say("timerfd_create", timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK));
  say("memfd_create", memfd_create("a", MFD_CLOEXEC));
  say_temporary("mkstemp", mkstemp(strcpy(path, "/tmp/weir-making-XXXXXX")), path);
  say_temporary("mkstemp64", mkstemp64(strcpy(path, "/tmp/weir-making-XXXXXX")), path);
  say_temporary("mkostemp", mkostemp(strcpy(path, "/tmp/weir-making-XXXXXX"), O_APPEND), path);
  say_temporary("mkostemp64", mkostemp64(strcpy(path, "/tmp/weir-making-XXXXXX"), O_CLOEXEC), path);
  say_temporary("mkstemp of no pattern", mkstemp(strcpy(path, "/tmp/weir-making")), path);
  say_temporary("mkstemp of a short one", mkstemp(strcpy(path, "XXX")), path);
  say_stream("tmpfile", tmpfile(), fclose);
  say_stream("tmpfile64", tmpfile64(), fclose);
  say_stream("popen", popen("echo line; exit 3", "r"), pclose);
  say_stream("popen of no mode", popen("true", "k"), pclose);
  say("dup", dup(1));
}

int main(void) {
  struct rlimit before, none;
  errno = ENOTEMPTY;
  make_all();
  fflush(stdout);
  /* The next number that is free is the first that may not be. */
  int next = dup(1);
  close(next);
  if (getrlimit(RLIMIT_NOFILE, &before)) return 1;
  none = before;
  none.rlim_cur = (rlim_t)next;
  if (setrlimit(RLIMIT_NOFILE, &none)) return 1;
  errno = ENOTEMPTY;
  make_all();
  return setrlimit(RLIMIT_NOFILE, &before);
}
