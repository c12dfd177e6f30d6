/* SPDX-License-Identifier: Apache-2.0 */
/* Files made, opened, and not opened, in loops, or with IN_TASKS each in a task: what each call gives is counted by what it gave. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef IN_TASKS
#define EACH_FILE                    \
  _Pragma("omp parallel")            \
  _Pragma("omp single")              \
  for (int i = 0; i < files; ++i)    \
    _Pragma("omp task firstprivate(i)")
#else
#define EACH_FILE                                 \
  _Pragma("omp parallel for schedule(dynamic)")   \
  for (int i = 0; i < files; ++i)
#endif

enum { files = 128, errors = 256 };
static long seen[errors], modes;

static void gave(int fd, long *count) {
  struct stat about;
#pragma omp atomic
  ++count[fd < 0 ? errno : 0];
  if (fd < 0) return;
  if (fstat(fd, &about) == 0) {
#pragma omp atomic
    modes += about.st_mode & 0777;
  }
  close(fd);
}

static void gave_status(const char *name, long *count) {
  struct stat about = {0};
  struct statx more = {0};
  for (int i = 0; i < 5; ++i) {
    int result = i == 0   ? stat(name, &about)
                 : i == 1 ? lstat(name, &about)
                 : i == 2 ? fstatat(AT_FDCWD, name, &about, 0)
                 : i == 3 ? statx(AT_FDCWD, name, 0, STATX_MODE, &more)
                          : access(name, R_OK);
#pragma omp atomic
    ++count[result < 0 ? errno : 0];
  }
#pragma omp atomic
  modes += (about.st_mode & 0777) + (more.stx_mode & 0777);
}

static void gave_file(FILE *file, long *count) {
#pragma omp atomic
  ++count[file ? 0 : errno];
  if (file) fclose(file);
}

/* By way of /proc/thread-self each thread finds its own. */
static int finds_itself(int flags) {
  char text[64] = "";
  int self = (int)syscall(SYS_gettid), found = 0, file = open("/proc/thread-self/stat", flags);
  if (file < 0 || pread(file, text, sizeof text - 1, 0) <= 0 || sscanf(text, "%d", &found) != 1) return 0;
  close(file);
  return found == self;
}

static void tell(const char *what) {
  printf("%s:", what);
  for (int i = 0; i < errors; ++i)
    if (seen[i]) printf(" %s %ld", i ? strerrorname_np(i) : "opened", seen[i]);
  printf(", modes %ld\n", modes);
  memset(seen, 0, sizeof seen);
  modes = 0;
}

/* After so many that are not at hand a thread looks for one in eight only; what comes then is opened all the same. */
static void open_many_that_are_cold(void) {
  EACH_FILE {
    char name[32], through[64];
    snprintf(name, sizeof name, "f%d", i);
    snprintf(through, sizeof through, "/proc/self/cwd/f%d", i);
    for (int k = 0; k < 12; ++k) gave(open(k % 2 ? through : "/proc/self/cwd/none", O_RDONLY), seen);
    gave(open(name, O_RDONLY), seen);
    gave(open("none", O_RDONLY), seen);
    gave(openat(-7, "f1", O_RDONLY), seen);
    for (int k = 0; k < 20; ++k) gave(open(name, O_RDWR), seen);
    usleep(2000);
  }
  tell("opened through /proc and not");
}

int main(int count, char **arguments) {
  (void)arguments;
  char folder[] = "/tmp/opens-XXXXXX";
  if (!mkdtemp(folder) || chdir(folder) || symlink("loop", "loop") || mkfifo("fifo", 0600)) return 2;
  int here = open(".", O_RDONLY | O_DIRECTORY);
  umask(027);
  EACH_FILE {
    char name[32];
    snprintf(name, sizeof name, "f%d", i);
    gave(i % 3 ? open(name, O_CREAT | O_EXCL | O_RDWR, 0666) : creat(name, 0640), seen);
    usleep(2000);
  }
  tell("made");
  if (count > 1) open_many_that_are_cold();
  EACH_FILE {
    char name[32];
    snprintf(name, sizeof name, "f%d", i);
    gave(open(name, O_RDONLY), seen);
    gave(openat(here, name, O_RDWR | O_CLOEXEC | O_APPEND), seen);
    gave(open(name, O_RDONLY | O_TRUNC), seen);
    gave(open(name, O_CREAT | O_EXCL | O_RDWR, 0666), seen);
    gave(open(name, O_PATH | O_NOFOLLOW), seen);
    gave(open(".", O_TMPFILE | O_RDWR, 0604), seen);
    gave(open("fifo", O_RDONLY | O_NONBLOCK), seen);
    gave(open("none", O_RDONLY), seen);
    gave(open("", O_RDONLY), seen);
    gave(open("loop", O_RDONLY), seen);
    gave(open("f1/x", O_RDONLY), seen);
    gave(open(".", O_WRONLY), seen);
    gave(open("f1", O_RDONLY | O_DIRECTORY), seen);
    gave(openat(-7, "f1", O_RDONLY), seen);
    gave(open(name, 0x70000000 | O_RDONLY), seen);  /* flags that nobody knows */
    gave_status(name, seen);
    gave_status("none", seen);
    gave_status("loop", seen);
    gave_status("f1/x", seen);
    gave_status("/proc/self/cwd/f1", seen);
    gave_file(fopen(name, "re"), seen);
    gave_file(fopen(name, "a+"), seen);
    gave_file(fopen(name, "w"), seen);
    gave_file(fopen(name, "wx"), seen);
    gave_file(fopen(name, "?"), seen);
    gave_file(fopen(".", "w"), seen);
    gave_file(fopen("none", "r+"), seen);
    gave_file(fopen("/proc/self/cwd/f1", "r"), seen);
    usleep(2000);
  }
  tell("opened");
  /* A name through /proc is never at hand. */
  static long entries, itself;
  EACH_FILE {
    for (int k = 0; k < 2; ++k) {
      DIR *folder = k ? fdopendir(open("/proc/self/cwd", O_RDONLY | O_DIRECTORY)) : opendir("/proc/self/cwd");
      while (readdir(folder)) {
#pragma omp atomic
        ++entries;
      }
      closedir(folder);
    }
    int finds = finds_itself(O_RDONLY) + finds_itself(O_RDWR | O_CREAT);
#pragma omp atomic
    itself += finds;
    usleep(2000);
  }
  printf("listed: %ld, itself: %ld\n", entries, itself);
  for (int i = 0; i < files; ++i) {
    char name[32];
    snprintf(name, sizeof name, "f%d", i);
    unlink(name);
  }
  unlink("loop");
  unlink("fifo");
  rmdir(folder);
  return 0;
}
