/* SPDX-License-Identifier: Apache-2.0 */
/* Folders opened by name and by number, and read to their ends: by names that the kernel has at hand, and by such as go through
 * /proc, which it never has. must count: parked */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { files = 3000, threads = 8 }; /* more names than one look of libc's gives */

struct about {
  int entries, folders;
  unsigned long names;
};

static struct about read_on(DIR *stream) {
  struct about seen = {0, 0, 0};
  errno = ENOTEMPTY;
  for (struct dirent *entry; (entry = readdir(stream)); ++seen.entries) {
    seen.folders += entry->d_type == DT_DIR;
    for (const char *c = entry->d_name; *c; ++c) seen.names += (unsigned long)*c * (c - entry->d_name + 1);
    assert(errno == ENOTEMPTY);
  }
  assert(errno == ENOTEMPTY); /* the end is no error */
  return seen;
}

static void say(const char *what, struct about seen) {
  printf("%s: %d entries, %d folders, names %lu\n", what, seen.entries, seen.folders, seen.names);
}

static void list(const char *what, DIR *stream) {
  assert(stream);
  assert(fcntl(dirfd(stream), F_GETFD) == FD_CLOEXEC);
  say(what, read_on(stream));
  rewinddir(stream);
  struct dirent64 *first = readdir64(stream);
  assert(first);
  long second = telldir(stream);
  char name[256];
  strcpy(name, readdir(stream)->d_name);
  seekdir(stream, second);
  assert(!strcmp(readdir(stream)->d_name, name));
  assert(!closedir(stream));
}

static void fails(const char *what, const char *path) {
  errno = 0;
  DIR *stream = opendir(path);
  printf("%s: %s\n", what, stream ? "opened" : strerrorname_np(errno));
  if (stream) closedir(stream);
}

static void *side_by_side(void *sum_) {
  for (int i = 0; i < 20; ++i) {
    DIR *stream = opendir(i % 2 ? "." : "/proc/self/cwd");
    *(unsigned long *)sum_ += read_on(stream).names;
    closedir(stream);
  }
  return 0;
}

int main(void) {
  char folder[] = "/tmp/folders-XXXXXX";
  assert(mkdtemp(folder) && !chdir(folder) && !mkdir("sub", 0755) && !mkdir("sub/one", 0755) && !symlink("loop", "loop"));
  for (int i = 0; i < files; ++i) {
    char name[32];
    snprintf(name, sizeof name, "a file of number %d", i);
    close(open(name, O_CREAT | O_WRONLY, 0600));
  }
  list("here", opendir("."));
  list("by /proc", opendir("/proc/self/cwd"));
  list("sub", opendir("sub"));
  list("sub, by /proc", opendir("/proc/self/cwd/sub"));
  list("number", fdopendir(open("sub", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  list("number, by /proc", fdopendir(open("/proc/self/cwd/sub", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));

  /* Opened, and not read; its number, and its stream's memory, are the next one's. */
  closedir(opendir("/proc/self/cwd"));
  list("sub, after", opendir("sub"));
  close(open("/proc/self/cwd/sub", O_RDONLY | O_DIRECTORY));
  list("here, after", fdopendir(open(".", O_RDONLY | O_CLOEXEC)));

  /* Half of it read by another's hands. */
  int fd = open("/proc/self/cwd", O_RDONLY | O_DIRECTORY);
  DIR *first = fdopendir(dup(fd)), *second;
  assert(readdir(first));
  closedir(first);
  lseek(fd, 0, SEEK_SET);
  second = fdopendir(fd);
  say("once more", read_on(second));
  closedir(second);

  fails("none", "none");
  fails("none, by /proc", "/proc/self/cwd/none");
  fails("empty", "");
  fails("a file", "a file of number 1");
  fails("a file, by /proc", "/proc/self/cwd/a file of number 1");
  fails("a loop", "loop/x");
  errno = 0;
  assert(!fdopendir(-1) && errno == EBADF);
  struct rlimit before, few;
  getrlimit(RLIMIT_NOFILE, &before);
  int lowest = dup(0);
  close(lowest);
  few = (struct rlimit){lowest, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  fails("no number left", "sub");
  fails("no number left, by /proc", "/proc/self/cwd/sub");
  setrlimit(RLIMIT_NOFILE, &before);

  pthread_t team[threads];
  unsigned long sums[threads] = {0}, sum = 0;
  for (int i = 0; i < threads; ++i) pthread_create(&team[i], 0, side_by_side, &sums[i]);
  for (int i = 0; i < threads; ++i) pthread_join(team[i], 0), sum += sums[i];
  printf("side by side: %lu\n", sum);

  int left = dup(0);
  printf("no number is left open: %d\n", left == lowest);
  for (int i = 0; i < files; ++i) {
    char name[32];
    snprintf(name, sizeof name, "a file of number %d", i);
    unlink(name);
  }
  unlink("loop"), rmdir("sub/one"), rmdir("sub"), rmdir(folder);
  return 0;
}
