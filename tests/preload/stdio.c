/* SPDX-License-Identifier: Apache-2.0 */
/* stdio's input on files, pipes and strange streams; pushed back characters, ends that were seen, wide streams.
 * must count: suspended bytes_read bytes_written */
#include "case.h"

#include <locale.h>
#include <wchar.h>

static char buffer[1 << 16];
static int p[2];

static void *feed(void *text) {
  for (char *at = text; *at;) {
    nap_ms(15);
    long n = strcspn(at, "|");
    write(p[1], at, n);
    at += n + (at[n] == '|');
  }
  return 0;
}
static FILE *fed(const char *text, pthread_t *t) {
  pipe(p);
  *t = start(feed, (void *)text);
  return fdopen(p[0], "r");
}
static void done(FILE *f, pthread_t t) {
  pthread_join(t, 0);
  close(p[1]);
  say("end", fgetc(f));
  printf("eof %d error %d\n", feof(f), ferror(f));
  say("end again", fgetc(f));
  fclose(f);
}

static void pipes(void) {
  pthread_t t;
  FILE *f = fed("one\n|two\nthree\n|12 |0x1f word\n|a|b|cdef", &t);
  char *line = 0;
  size_t size = 0;
  printf("fgets %s", fgets(buffer, sizeof buffer, f));
  printf("getline %ld %s", (long)getline(&line, &size, f), line);
  printf("getdelim %ld %s", (long)getdelim(&line, &size, '\n', f), line);
  int n, x;
  printf("fscanf %d", fscanf(f, "%d %i %s", &n, &x, buffer));
  printf(" %d %d %s\n", n, x, buffer);
  printf("fgetc %d\n", fgetc(f));
  printf("getc %c\n", getc(f));
  printf("ungetc %c, ", ungetc('Z', f));
  printf("getc %c\n", getc(f));
  printf("getc_unlocked %c\n", getc_unlocked(f));
  say_data("fread", fread(buffer, 1, 4, f), buffer);
  done(f, t);
  /* A pushed back character read again, with data behind it and nothing to come. */
  f = fed("xyz|", &t);
  nap_ms(30);
  printf("%c", fgetc(f));
  ungetc('1', f), ungetc('2', f);
  printf("%c%c", fgetc(f), fgetc(f));
  printf("%c%c\n", fgetc(f), fgetc(f));
  done(f, t);
  f = fed("shorter than asked|, but", &t);
  pthread_join(t, 0);
  close(p[1]);
  say_data("fread to the end", fread(buffer, 2, 500, f), buffer);
  printf("eof %d\n", feof(f));
  fclose(f);
  f = fed("unbuffered", &t);
  setvbuf(f, 0, _IONBF, 0);
  printf("unbuffered %s\n", fgets(buffer, 11, f));
  done(f, t);
}

static void files(void) {
  int fd = temporary(300000);
  chill(fd);
  lseek(fd, 0, SEEK_SET);
  FILE *f = fdopen(fd, "r+");
  say_data("file: fread", fread(buffer, 1, 10000, f), buffer);
  say("file: ftell", ftell(f));
  chill(fd);
  fseek(f, 250001, SEEK_SET);
  say_data("file: fread", fread(buffer, 1, 60000, f), buffer);
  say("file: eof", feof(f));
  rewind(f);
  chill(fd);
  long sum = 0;
  for (int c; (c = getc(f)) != EOF;) sum = sum * 31 + c;
  printf("file: getc %lx\n", sum);
  say("file: fwrite", fwrite("end", 1, 3, f));
  say("file: fflush", fflush(f));
  fseek(f, -5, SEEK_END);
  say_data("file: what was written", fread(buffer, 1, 10, f), buffer);
  say("file: fclose", fclose(f));
  f = fopen("/etc/passwd", "r");
  errno = 99;
  fgets(buffer, 100, f);
  printf("errno after success: %d\n", errno);
  say("read only: fputs", fputs("x", f));
  fclose(f);
  f = fopen("/dev/null", "w");
  say("write only: fgetc", fgetc(f));
  say("write only: error", !!ferror(f));
  fclose(f);
  f = fopen("/", "r");
  say("directory: fgetc", fgetc(f));
  fclose(f);
  f = fopen("/proc/self/status", "r");
  printf("proc: %s", fgets(buffer, 100, f) ? "a line\n" : "nothing\n");
  fclose(f);
}

static ssize_t cookie_read(void *cookie, char *to, size_t size) {
  (void)cookie;
  (void)size;
  pipe(p);
  pthread_t t = start(feed, "c");
  long got = read(p[0], to, 1);
  pthread_join(t, 0);
  close(p[0]), close(p[1]);
  return got;
}
static ssize_t cookie_write(void *cookie, const char *from, size_t size) {
  char c;
  cookie_read(cookie, &c, 1);
  return from[0] == 'w' ? (ssize_t)size : 0;
}
static void strange(void) {
  FILE *f = fopencookie(0, "r+", (cookie_io_functions_t){cookie_read, cookie_write, 0, 0});
  printf("cookie: %c%c\n", fgetc(f), fgetc(f));
  fclose(f);
  f = fopencookie(0, "w", (cookie_io_functions_t){cookie_read, cookie_write, 0, 0});
  say("cookie: fprintf", fprintf(f, "w%d", 1));
  say("cookie: fflush", fflush(f));
  fclose(f);
  char memory[] = "in memory";
  f = fmemopen(memory, 9, "r");
  printf("fmemopen: %s\n", fgets(buffer, 20, f));
  fclose(f);
  char *grown;
  size_t size;
  f = open_memstream(&grown, &size);
  fprintf(f, "%s %d", "grown", 7);
  say("memstream: fgetc", fgetc(f));
  fclose(f);
  printf("memstream: %s\n", grown);
  f = popen("sleep 0.03; echo from a child", "r");
  printf("popen: %s", fgets(buffer, 100, f));
  say("pclose", pclose(f));
  f = tmpfile();
  fputs("17 18\n", f);
  rewind(f);
  int a, b;
  say("tmpfile: fscanf", fscanf(f, "%d%d", &a, &b));
  printf("%d\n", a + b);
  fclose(f);
}

static void wide(void) {
  setlocale(LC_ALL, "C.UTF-8");
  pthread_t t;
  FILE *f = fed("\xc3\xa4\xc3\xb6|\xc3\xbc line\n|n\xe2\x82\xac 42\n", &t);
  wchar_t text[100];
  printf("fgetwc %x\n", fgetwc(f));
  printf("fgetws %lx\n", fgetws(text, 100, f) ? (long)text[1] : -1);
  int n = 0;
  printf("fwscanf %d", fwscanf(f, L"%ls %d", text, &n));
  printf(" %x %d\n", text[1], n);
  printf("getwc %x\n", getwc(f));
  pthread_join(t, 0);
  close(p[1]);
  printf("end %d\n", fgetwc(f) == WEOF);
  fclose(f);
}

static void *share(void *file) {
  long sum = 0;
  char line[64];
  while (fgets(line, sizeof line, file)) sum += strlen(line) == 9 ? atol(line) : 1000000000;
  return (void *)sum;
}
static void shared(void) {
  FILE *f = tmpfile();
  for (int i = 0; i < 20000; ++i) fprintf(f, "%08d\n", i);
  fflush(f);
  chill(fileno(f));
  rewind(f);
  pthread_t t[4];
  long sum = 0;
  for (int i = 0; i < 4; ++i) t[i] = start(share, f);
  for (int i = 0; i < 4; ++i) {
    void *part;
    pthread_join(t[i], &part);
    sum += (long)part;
  }
  printf("four readers of one file: %ld\n", sum);
  fclose(f);
}

static void standard_input(void) {
  pthread_t t;
  FILE *f = fed("in put|\n", &t);
  dup2(p[0], 0);
  char word[10];
  printf("scanf %d", scanf("%9s", word));
  printf(" %s getchar %d", word, getchar());
  printf(" getchar_unlocked %c\n", getchar_unlocked());
  done(f, t);
}

/* Answers a request, and says nothing before. */
static void *answer(void *socket) {
  char request[16] = "";
  if (recv(*(int *)socket, request, sizeof request - 1, 0) > 0) send(*(int *)socket, "answer\n", 7, 0);
  return 0;
}

/* Calls that do not wait for the other side, whatever it does. */
static void unasked(void) {
  char to[16] = "";
  int p[2];
  assert(!pipe(p));
  FILE *f = fdopen(p[0], "r");
  printf("fread of nothing %zu, fgets of its end %d\n", fread(to, 1, 0, f), fgets(to, 1, f) == to);
  wchar_t wide_to[2] = L"";
  printf("fgetws of its end %d\n", fgetws(wide_to, 1, f) == wide_to);
  fclose(f);
  close(p[1]);
  assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, p));
  f = fdopen(p[0], "r+");
  pthread_t t = start(answer, &p[1]);
  fputs("request\n", f);
  printf("%s", fgets(to, sizeof to, f) ? to : "none\n"); /* it is sent here */
  pthread_join(t, 0);
  fclose(f);
  close(p[1]);
}

static void *write_later(void *fd) {
  nap_ms(400);
  write(*(int *)fd, "x", 1);
  return 0;
}
/* The limit is over before what would have been read comes. */
static void limited(void) {
  int p[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, p);
  struct timeval limit = {0, 250000};
  setsockopt(p[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  FILE *f = fdopen(p[0], "r");
  pthread_t t = start(write_later, &p[1]);
  say("socket with a limit: fgetc", fgetc(f));
  pthread_join(t, 0);
  fclose(f);
  close(p[1]);
}

int main(void) {
  pipes();
  limited();
  unasked();
  files();
  strange();
  wide();
  shared();
  standard_input();
  dprintf(1, "");
  puts("puts");
  return 0;
}
