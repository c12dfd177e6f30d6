/* SPDX-License-Identifier: Apache-2.0 */
/* files DIRECTORY: what a program does with files that a file system may do in its own way: direct, at the end, over
 * holes, over room set aside, under another name. Each case many times, in OpenMP tasks that run at once; a line each, in
 * order. Knows nothing of weir. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define KIB 1024L
enum { length = 256 * KIB, times = 6 };

struct line {
  char text[400];
  int used;
};
static const char *directory;

static void say(struct line *line, const char *form, ...) {
  va_list list;
  va_start(list, form);
  line->used += vsnprintf(line->text + line->used, sizeof line->text - (size_t)line->used, form, list);
  va_end(list);
}
/* Out of line: compilers keep the address of errno over a call. */
__attribute__((noinline)) static const char *why(long result) { return result < 0 ? strerrorname_np(errno) : "-"; }

static unsigned hash(const void *memory, long bytes) {
  unsigned h = 2166136261u;
  for (long i = 0; i < bytes; ++i) h = (h ^ ((const unsigned char *)memory)[i]) * 16777619u;
  return h;
}
static char byte_at(long offset, int of) { return (char)(offset * 31 + offset / 4096 + of * 7); }
static char *room(void) { return aligned_alloc(4096, length); }
static void fill(char *memory, long bytes, long from, int of) {
  for (long i = 0; i < bytes; ++i) memory[i] = byte_at(from + i, of);
}
static int open_in(const char *name, int number, int flags) {
  char path[300];
  snprintf(path, sizeof path, "%s/%s-%d", directory, name, number);
  return open(path, flags, 0600);
}
static void make(const char *name, int number, int of) {
  char *memory = room();
  int fd = open_in(name, number, O_CREAT | O_TRUNC | O_RDWR);
  fill(memory, length, 0, of);
  if (write(fd, memory, length) != length) abort();
  fsync(fd);
  close(fd);
  free(memory);
}
static void chill(int fd) {
  fdatasync(fd);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}
static void say_read(struct line *line, const char *memory, long got) { say(line, " %ld %s %08x", got, why(got), got > 0 ? hash(memory, got) : 0); }

static void direct(struct line *line, int number) {
  make("direct", number, number);
  int fd = open_in("direct", number, O_RDWR | O_DIRECT);
  say(line, "%s", why(fd));
  if (fd < 0) return;
  char *memory = room();
  fill(memory, 64 * KIB, 0, 50);
  long done = pwrite(fd, memory, 64 * KIB, 128 * KIB);
  say(line, " %ld %s", done, why(done));
  memset(memory, 0, length);
  say_read(line, memory, pread(fd, memory, 64 * KIB, 120 * KIB));
  say_read(line, memory, pread(fd, memory, 64 * KIB, length - 4096)); /* over the end */
  say_read(line, memory, pread(fd, memory, 4096, length));
  say_read(line, memory, pread(fd, memory + 1, 4096, 4096)); /* memory, length, offset that do not fit */
  say_read(line, memory, pread(fd, memory, 4095, 4096));
  say_read(line, memory, pread(fd, memory, 4096, 100));
  for (int i = 0; i < 3; ++i) say_read(line, memory, read(fd, memory, 32 * KIB));
  struct iovec parts[2] = {{memory, 4096}, {memory + 8192, 8192}};
  say_read(line, memory, preadv(fd, parts, 2, 8192));
  close(fd);
  free(memory);
}

static void holes(struct line *line, int number) {
  int fd = open_in("holes", number, O_CREAT | O_TRUNC | O_RDWR);
  char *memory = room();
  long done = ftruncate(fd, 4 * length);
  fill(memory, 4096, 0, number);
  done = pwrite(fd, memory, 4096, 2 * length);
  say(line, "%ld", done);
  chill(fd);
  for (long at = 2 * length - 8192; at <= 2 * length + 8192; at += 4096) say_read(line, memory, pread(fd, memory, 4096, at));
  say_read(line, memory, pread(fd, memory, length, 3 * length));
  say(line, " %ld %ld", (long)lseek(fd, 0, SEEK_DATA), (long)lseek(fd, 2 * length, SEEK_HOLE));
  lseek(fd, 2 * length - 100, SEEK_SET);
  say_read(line, memory, read(fd, memory, 300));
  say(line, " at %ld", (long)lseek(fd, 0, SEEK_CUR));
  close(fd);
  free(memory);
}

static void set_aside(struct line *line, int number) {
  int fd = open_in("reserved", number, O_CREAT | O_TRUNC | O_RDWR);
  char *memory = room();
  struct stat about;
  long done = fallocate(fd, 0, 0, length);
  say(line, "%ld %s", done, why(done));
  done = fallocate(fd, FALLOC_FL_KEEP_SIZE, length, length);
  say(line, " %ld %s", done, why(done));
  fill(memory, length, 0, number);
  done = pwrite(fd, memory, 10000, 5000);
  chill(fd);
  say_read(line, memory, pread(fd, memory, 64 * KIB, 0));
  say_read(line, memory, pread(fd, memory, 4096, length - 100)); /* what was kept is no part of it */
  done = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 8192, 4096);
  say(line, " %ld %s", done, why(done));
  chill(fd);
  say_read(line, memory, pread(fd, memory, 16 * KIB, 4096));
  fstat(fd, &about);
  say(line, " of %ld", (long)about.st_size);
  close(fd);
  free(memory);
}

/* Another file takes the name while this one is read, and its own is taken away. */
static void renamed(struct line *line, int number) {
  char from[300], to[300], *memory = room();
  make("old", number, 1);
  make("new", number, 2);
  snprintf(from, sizeof from, "%s/new-%d", directory, number);
  snprintf(to, sizeof to, "%s/old-%d", directory, number);
  int fd = open_in("old", number, O_RDONLY);
  for (long at = 0; at < length; at += 32 * KIB) {
    chill(fd);
    if (at == 64 * KIB) say(line, "%d ", rename(from, to));
    if (at == 128 * KIB) say(line, "%d ", unlink(to));
    if (read(fd, memory + at, 32 * KIB) != 32 * KIB) say(line, "short ");
    if (at == 96 * KIB) {
      int other = open_in("old", number, O_RDONLY);
      char *its = room();
      chill(other);
      say_read(line, its, pread(other, its, length, 0));
      close(other);
      free(its);
    }
  }
  say_read(line, memory, length);
  int gone = open_in("old", number, O_RDONLY);
  say(line, " %s", why(gone));
  close(fd);
  free(memory);
}

/* All numbers of this case write to one file at once. */
static int shared_end;
static void append(struct line *line, int number) {
  char record[2][64];
  memset(record, number + 'a', sizeof record);
  struct iovec parts[2] = {{record[0], 64}, {record[1], 64}};
  say(line, "%ld", (long)write(shared_end, record[0], 64));
  say(line, " %ld", (long)writev(shared_end, parts, 2));
  say(line, " %ld", (long)pwrite(shared_end, record[0], 64, 0)); /* at the end all the same */
  say(line, " %d", fdatasync(shared_end));
}
static void sum_up_end(void) {
  char *memory = room();
  long got = pread(shared_end, memory, length, 0), of_letter[times] = {0}, torn = 0;
  for (long at = 0; at < got; at += 64) {
    for (int i = 1; i < 64; ++i) torn += memory[at + i] != memory[at];
    ++of_letter[memory[at] - 'a'];
  }
  printf("the end: %ld bytes, %ld torn,", got, torn);
  for (int i = 0; i < times; ++i) printf(" %ld", of_letter[i]);
  puts("");
  free(memory);
}

/* One offset for all: each block is read once. */
static int shared_offset;
static _Atomic unsigned sum_of_blocks;
static void shared(struct line *line, int number) {
  char *memory = room();
  long sum = 0;
  for (long got; (got = read(shared_offset, memory, 4096)) > 0; sum += got) sum_of_blocks += hash(memory, got);
  say(line, "to the end");
  (void)number, (void)sum;
  free(memory);
}

static void durable(struct line *line, int number) {
  int fd = open_in("durable", number, O_CREAT | O_TRUNC | O_RDWR | O_SYNC);
  char *memory = room();
  fill(memory, length, 0, number);
  struct iovec parts[3] = {{memory, 1000}, {memory + 1000, 0}, {memory + 1000, 9000}};
  say(line, "%ld", (long)write(fd, memory, 20000));
  say(line, " %ld", (long)pwritev(fd, parts, 3, 30000));
  say(line, " %ld", (long)pwritev2(fd, parts, 3, -1, RWF_DSYNC));
  say(line, " %d %d", fsync(fd), sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE));
  chill(fd);
  say_read(line, memory, pread(fd, memory, length, 0));
  int copy = open_in("copied", number, O_CREAT | O_TRUNC | O_RDWR);
  chill(fd);
  off_t from = 100;
  long sent = sendfile(copy, fd, &from, 20000);
  say(line, " %ld at %ld", sent, (long)from);
  loff_t a = 0, b = 40000;
  say(line, " %ld", (long)copy_file_range(fd, &a, copy, &b, 8192, 0));
  chill(copy);
  say_read(line, memory, pread(copy, memory, length, 0));
  close(copy);
  close(fd);
  free(memory);
}

/* Written, cut, and written again while it is cold. */
static void cut(struct line *line, int number) {
  make("cut", number, number);
  int fd = open_in("cut", number, O_RDWR);
  char *memory = room();
  chill(fd);
  say(line, "%d", ftruncate(fd, 10001));
  say_read(line, memory, pread(fd, memory, 8192, 8192));
  say_read(line, memory, pread(fd, memory, 8192, 20000));
  say(line, " %d", ftruncate(fd, length));
  chill(fd);
  say_read(line, memory, pread(fd, memory, length, 0));
  struct iovec parts[4] = {{memory, 1}, {memory + 1, 4095}, {memory + 4096, 100000}, {memory + 104096, 100}};
  chill(fd);
  say_read(line, memory, preadv(fd, parts, 4, length - 50000));
  int read_only = open_in("cut", number, O_RDONLY), write_only = open_in("cut", number, O_WRONLY);
  say(line, " %ld", (long)pwrite(read_only, memory, 10, 0));
  say(line, " %s", why(-1));
  say_read(line, memory, pread(write_only, memory, 10, 0));
  close(read_only);
  close(write_only);
  close(fd);
  free(memory);
}

static const struct {
  const char *name;
  void (*body)(struct line *line, int number);
} cases[] = {{"direct", direct}, {"holes", holes}, {"set aside", set_aside}, {"renamed", renamed}, {"append", append},
             {"shared", shared}, {"durable", durable}, {"cut", cut}};
enum { all = sizeof cases / sizeof *cases };

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  directory = argv[1];
  static struct line lines[all * times];
  shared_end = open_in("end", 0, O_CREAT | O_TRUNC | O_RDWR | O_APPEND);
  make("offset", 0, 9);
  shared_offset = open_in("offset", 0, O_RDONLY);
  chill(shared_offset);
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < all * times; ++i) {
#pragma omp task firstprivate(i)
    cases[i % all].body(&lines[i], i / all);
  }
  for (int i = 0; i < all * times; ++i) printf("%s %d: %s\n", cases[i % all].name, i / all, lines[i].text);
  sum_up_end();
  printf("the shared offset: %08x\n", sum_of_blocks);
  return 0;
}
