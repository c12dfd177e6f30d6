/* SPDX-License-Identifier: Apache-2.0 */
/* fseek and kin, which read where they lead out of the FILE's buffer; nothing else here waits.
 * must count: suspended */
#include "case.h"

#include <sys/syscall.h>

static char buffer[1 << 16];

/* (fsync and kin would wait, too.) */
static void cool(int fd) {
  syscall(SYS_fsync, fd);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

static void read_here(const char *what, FILE *f, int bytes) {
  errno = 99;
  printf("%s at %ld: ", what, ftell(f));
  say_data("", fread(buffer, 1, bytes, f), buffer);
  printf("then %ld, end %d, error %d, errno %d\n", ftell(f), feof(f), ferror(f), errno);
}

struct place {
  long by;
  int from;
};

/* Each in the midst of a block that is neither in the FILE's buffer nor cached: there fread finds what fseek has read. */
static void cold(FILE *f, int fd) {
  static const struct place all[] = {{70000, SEEK_CUR}, {-90000, SEEK_CUR}, {8191, SEEK_SET}, {-5, SEEK_END}, {250000, SEEK_SET}};
  fpos_t place;
  fseek(f, 123457, SEEK_SET);
  fgetpos(f, &place);
  read_here("cached", f, 10);
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i) {
    cool(fd);
    errno = 99;
    say("fseek", i % 2 ? fseeko(f, all[i].by, all[i].from) : fseek(f, all[i].by, all[i].from));
    read_here("fseek", f, 1);
  }
  cool(fd);
  say("fsetpos", fsetpos(f, &place));
  read_here("fsetpos", f, 17);
}

static void places(FILE *f) {
  static const struct place all[] = {{100001, SEEK_SET}, {50, SEEK_CUR}, {-20, SEEK_CUR}, {-90000, SEEK_CUR},   {8192, SEEK_SET},
                                     {-5, SEEK_END},     {0, SEEK_END},  {7, SEEK_END},   {-1, SEEK_SET},       {0, SEEK_SET},
                                     {5, 77},            {3, SEEK_CUR},  {4095, SEEK_SET}, {-300000, SEEK_END}, {3, SEEK_CUR}};
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i) {
    say("fseek", fseek(f, all[i].by, all[i].from));
    read_here("fseek", f, 60);
    say("fseeko", fseeko(f, all[i].by, all[i].from));
    read_here("fseeko", f, 5000);
  }
  fseek(f, 99, SEEK_SET);
  ungetc('x', f);
  say("pushed back", fseek(f, 1, SEEK_CUR));
  read_here("pushed back", f, 3);
  fseek(f, 200001, SEEK_SET);
  say("written", fwrite("written", 1, 7, f));
  say("behind what was written", fseek(f, -4, SEEK_CUR));
  read_here("what was written", f, 10);
}

static void with(int mode, size_t room) {
  FILE *f = fdopen(temporary(300000), "r+");
  if (room) setvbuf(f, 0, mode, room);
  places(f);
  fclose(f);
}

static ssize_t nothing(void *cookie, char *to, size_t size) { return memset(to, 'c', size), size; }
static int place(void *cookie, off64_t *at, int from) { return from == SEEK_SET ? 0 : -1; }

int main(void) {
  int fd = temporary(300000);
  FILE *f = fdopen(fd, "r");
  cold(f, fd);
  fclose(f);
  with(_IOFBF, 0);
  with(_IOFBF, 512);
  with(_IOFBF, 100000);
  with(_IONBF, 1);
  int p[2];
  assert(!pipe(p));
  f = fdopen(p[0], "r");
  say("a pipe", fseek(f, 5, SEEK_SET));
  fclose(f);
  f = fmemopen("in memory", 9, "r");
  say("memory", fseek(f, 3, SEEK_SET));
  printf("%c\n", fgetc(f));
  fclose(f);
  f = fopencookie(0, "r", (cookie_io_functions_t){nothing, 0, place, 0});
  say("a cookie", fseek(f, 5, SEEK_SET));
  printf("%c\n", fgetc(f));
  fclose(f);
  f = fopen("/dev/null", "w");
  say("to write", fseek(f, 5, SEEK_SET));
  fclose(f);
  return 0;
}
