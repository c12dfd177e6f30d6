/* SPDX-License-Identifier: Apache-2.0 */
/* The names that come in no program's text, but in libraries and old binaries: each found by name, and called. */
#include "case.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <wchar.h>

static void *f;
static const char *name;
static void *find(const char *symbol) {
  name = symbol;
  f = dlsym(RTLD_DEFAULT, symbol);
  if (!f) printf("%s: not there\n", symbol);
  return f;
}
static void opened(int fd, int want_mode) {
  char about[300];
  struct stat s;
  if (fd < 0) {
    say(name, fd);
    return;
  }
  fstat(fd, &s);
  snprintf(about, sizeof about, "%s: mode %o flags %x", name, want_mode ? s.st_mode & 0777 : 0,
           fcntl(fd, F_GETFL) & ~(O_RDWR | O_WRONLY));
  say(about, 0);
  say("  close", close(fd));
}

static struct stat *clean(struct stat *about) { return memset(about, 0, sizeof *about); }
/* Whose `about` is the one that was just asked for. */
static struct stat s;
static void told(int result) {
  printf("  %o %lld %d\n", s.st_mode, S_ISREG(s.st_mode) ? (long long)s.st_size : 0, (int)(s.st_nlink > 0));
  say(name, result);
}

/* Told by its descriptor's flags and by how it takes a byte. */
static void opened_file(FILE *(*o)(const char *, const char *), const char *path, const char *mode) {
  char about[300];
  FILE *file = o(path, mode);
  if (!file) {
    snprintf(about, sizeof about, "%s %s: none", name, mode);
    say(about, -1);
    return;
  }
  int flags = fcntl(fileno(file), F_GETFL), close_on_exec = fcntl(fileno(file), F_GETFD);
  snprintf(about, sizeof about, "%s %s: flags %x %d, puts", name, mode, flags, close_on_exec);
  say(about, fputc('x', file));
  say("  close", fclose(file));
}

static int v(void *print, ...) {
  va_list rest;
  va_start(rest, print);
  int n = -9;
  if (!strcmp(name, "vprintf")) n = ((int (*)(const char *, va_list))print)("<%d %s>\n", rest);
  if (!strcmp(name, "__vprintf_chk")) n = ((int (*)(int, const char *, va_list))print)(1, "<%d %s>\n", rest);
  if (!strcmp(name, "vfprintf")) n = ((int (*)(FILE *, const char *, va_list))print)(stdout, "<%d %s>\n", rest);
  if (!strcmp(name, "__vfprintf_chk")) n = ((int (*)(FILE *, int, const char *, va_list))print)(stdout, 1, "<%d %s>\n", rest);
  fflush(stdout);
  if (!strcmp(name, "vdprintf")) n = ((int (*)(int, const char *, va_list))print)(1, "<%d %s>\n", rest);
  if (!strcmp(name, "__vdprintf_chk")) n = ((int (*)(int, int, const char *, va_list))print)(1, 1, "<%d %s>\n", rest);
  va_end(rest);
  return n;
}
static int vs(void *scan, FILE *file, const void *format, ...) {
  va_list rest;
  va_start(rest, format);
  int n = file ? ((int (*)(FILE *, const void *, va_list))scan)(file, format, rest)
               : ((int (*)(const void *, va_list))scan)(format, rest);
  va_end(rest);
  return n;
}
static FILE *text(const char *what) {
  int p[2];
  pipe(p);
  write(p[1], what, strlen(what));
  close(p[1]);
  return fdopen(p[0], "r");
}

int main(void) {
  char path[] = "/tmp/weir-names-XXXXXX", file_name[64];
  mkdtemp(path);
  snprintf(file_name, sizeof file_name, "%s/file", path);
  umask(022);
  int at = open(path, O_DIRECTORY | O_RDONLY);
  for (const char *const *n = (const char *const[]){"open", "open64", "__open", "__open64", 0}; *n; ++n) {
    int (*o)(const char *, int, ...) = find(*n);
    opened(o(file_name, O_CREAT | O_RDWR | O_EXCL, 0640), 1);
    opened(o(file_name, O_RDONLY | O_CLOEXEC), 1);
    opened(o(path, O_TMPFILE | O_RDWR, 0604), 1);
    opened(o("/nowhere/at/all", O_RDONLY), 0);
    unlink(file_name);
  }
  for (const char *const *n = (const char *const[]){"openat", "openat64", 0}; *n; ++n) {
    int (*o)(int, const char *, int, ...) = find(*n);
    opened(o(at, "file", O_CREAT | O_RDWR | O_EXCL, 0640), 1);
    opened(o(at, "file", O_RDONLY), 1);
    opened(o(77, "file", O_RDONLY), 0);
    unlink(file_name);
  }
  for (const char *const *n = (const char *const[]){"creat", "creat64", 0}; *n; ++n)
    opened(((int (*)(const char *, mode_t))find(*n))(file_name, 0600), 1);
  for (const char *const *n = (const char *const[]){"__open_2", "__open64_2", 0}; *n; ++n)
    opened(((int (*)(const char *, int))find(*n))(file_name, O_RDONLY), 1);
  for (const char *const *n = (const char *const[]){"__openat_2", "__openat64_2", 0}; *n; ++n)
    opened(((int (*)(int, const char *, int))find(*n))(at, "file", O_RDONLY), 1);
  const char *const asked[] = {file_name, path, "/nowhere/at/all", "", "/etc/passwd/x", "/proc/self/fd/0", 0};
  for (const char *const *n = (const char *const[]){"stat", "stat64", "lstat", "lstat64", 0}; *n; ++n) {
    int (*ask)(const char *, struct stat *) = find(*n);
    for (const char *const *p = asked; *p; ++p) told(ask(*p, clean(&s)));
  }
  for (const char *const *n = (const char *const[]){"__xstat", "__xstat64", "__lxstat", "__lxstat64", 0}; *n; ++n) {
    int (*ask)(int, const char *, struct stat *) = find(*n);
    for (const char *const *p = asked; *p; ++p) told(ask(1, *p, clean(&s)));
    told(ask(77, file_name, clean(&s)));
  }
  for (const char *const *n = (const char *const[]){"fstatat", "fstatat64", 0}; *n; ++n) {
    int (*ask)(int, const char *, struct stat *, int) = find(*n);
    told(ask(at, "file", clean(&s), 0));
    told(ask(at, "", clean(&s), AT_EMPTY_PATH));
    told(ask(at, "file", clean(&s), AT_SYMLINK_NOFOLLOW));
    told(ask(77, "file", clean(&s), 0));
    told(ask(at, "file", clean(&s), 0x7000));
  }
  for (const char *const *n = (const char *const[]){"__fxstatat", "__fxstatat64", 0}; *n; ++n) {
    int (*ask)(int, int, const char *, struct stat *, int) = find(*n);
    told(ask(1, at, "file", clean(&s), 0));
    told(ask(1, at, "none", clean(&s), 0));
  }
  int (*askx)(int, const char *, int, unsigned, struct statx *) = find("statx");
  for (const char *const *p = asked; *p; ++p) {
    struct statx x = {0};
    int result = askx(at, *p, 0, STATX_BASIC_STATS, &x);
    printf("  %o %llu\n", x.stx_mode, (unsigned long long)x.stx_size);
    say(name, result);
  }
  int (*may)(const char *, int) = find("access");
  int (*may_at)(int, const char *, int, int) = find("faccessat");
  for (const char *const *p = asked; *p; ++p) {
    say("access, read", may(*p, R_OK));
    say("access, run", may(*p, X_OK));
    say("access, 077", may(*p, 077));
    say("faccessat", may_at(at, *p, W_OK, AT_EACCESS));
  }
  for (const char *const *n = (const char *const[]){"fopen", "fopen64", 0}; *n; ++n) {
    FILE *(*o)(const char *, const char *) = (FILE * (*)(const char *, const char *)) find(*n);
    const char *const modes[] = {"r", "r+", "re", "w", "a+", "wx", "r,ccs=UTF-8", "?", ""};
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; ++i) opened_file(o, file_name, modes[i]);
    opened_file(o, path, "r");
    opened_file(o, path, "w");
    opened_file(o, "/nowhere/at/all", "r");
    opened_file(o, "", "r");
  }
  fflush(stdout);
  pid_t child = fork();
  int status;
  if (!child) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    dup2(open("/dev/null", O_WRONLY), 2);
    ((int (*)(const char *, int))find("__open_2"))(file_name, O_CREAT | O_RDONLY);
    _exit(0);
  }
  waitpid(child, &status, 0);
  printf("__open_2 without a mode: signal %d\n", WTERMSIG(status));
  say("__close", ((int (*)(int))find("__close"))(at));
  say("__close, closed", ((int (*)(int))f)(at));
  unlink(file_name), rmdir(path);

  for (const char *const *n = (const char *const[]){"vprintf", "__vprintf_chk", "vfprintf", "__vfprintf_chk", "vdprintf", "__vdprintf_chk", 0}; *n; ++n)
    say(*n, v(find(*n), 5, "five"));
  say("printf", ((int (*)(const char *, ...))find("printf"))("<%d>\n", 6));
  say("__printf_chk", ((int (*)(int, const char *, ...))find("__printf_chk"))(1, "<%d>\n", 7));
  say("fflush_unlocked", ((int (*)(FILE *))find("fflush_unlocked"))(stdout));

  for (const char *const *n = (const char *const[]){"fscanf", "__isoc99_fscanf", 0}; *n; ++n) {
    int a = 0;
    char b[10] = "";
    int got = ((int (*)(FILE *, const char *, ...))find(*n))(text("31 word"), "%d %s", &a, b);
    printf("%s %d: %d %s\n", *n, got, a, b);
  }
  for (const char *const *n = (const char *const[]){"vfscanf", "__isoc99_vfscanf", 0}; *n; ++n) {
    int a = 0, got = vs(find(*n), text("32"), "%d", &a);
    printf("%s %d: %d\n", *n, got, a);
  }
  for (const char *const *n = (const char *const[]){"fwscanf", "__isoc99_fwscanf", 0}; *n; ++n) {
    int a = 0, got = ((int (*)(FILE *, const wchar_t *, ...))find(*n))(text("33"), L"%d", &a);
    printf("%s %d: %d\n", *n, got, a);
  }
  for (const char *const *n = (const char *const[]){"vfwscanf", "__isoc99_vfwscanf", 0}; *n; ++n) {
    int a = 0, got = vs(find(*n), text("34"), L"%d", &a);
    printf("%s %d: %d\n", *n, got, a);
  }
  FILE *before = stdin;
  for (const char *const *n = (const char *const[]){"scanf", "__isoc99_scanf", "vscanf", "__isoc99_vscanf", 0}; *n; ++n) {
    int a = 0, got;
    stdin = text("35 x");
    find(*n);
    got = strchr(*n, 'v') ? vs(f, 0, "%d", &a) : ((int (*)(const char *, ...))f)("%d", &a);
    printf("%s %d: %d, then %d\n", *n, got, a, getchar());
  }
  stdin = text("ab");
  printf("getchar_unlocked %d\n", ((int (*)(void))find("getchar_unlocked"))());
  stdin = text("cd");
  printf("getwchar %d\n", ((wint_t(*)(void))find("getwchar"))());
  printf("getwchar_unlocked %d\n", ((wint_t(*)(void))find("getwchar_unlocked"))());
  stdin = before;

  wchar_t wide[20];
  for (const char *const *n = (const char *const[]){"fgetws", "fgetws_unlocked", 0}; *n; ++n) {
    wchar_t *got = ((wchar_t * (*)(wchar_t *, int, FILE *)) find(*n))(wide, 20, text("wide\n"));
    printf("%s %d %lc\n", *n, got == wide, wide[3]);
  }
  for (const char *const *n = (const char *const[]){"__fgetws_chk", "__fgetws_unlocked_chk", 0}; *n; ++n) {
    wchar_t *got = ((wchar_t * (*)(wchar_t *, size_t, int, FILE *)) find(*n))(wide, 20, 20, text("wide\n"));
    printf("%s %d %lc\n", *n, got == wide, wide[3]);
  }
  FILE *w = text("xyz");
  fwide(w, 1);
  printf("__wunderflow %d\n", ((wint_t(*)(FILE *))find("__wunderflow"))(w));
  printf("__wuflow %d\n", ((wint_t(*)(FILE *))find("__wuflow"))(w));
  char *line = 0;
  size_t size = 0;
  for (const char *const *n = (const char *const[]){"getdelim", "__getdelim", 0}; *n; ++n)
    say(*n, ((ssize_t(*)(char **, size_t *, int, FILE *))find(*n))(&line, &size, ';', text("one;two")));
  say("getline", ((ssize_t(*)(char **, size_t *, FILE *))find("getline"))(&line, &size, text("a line\nanother")));

  // pthread_yield: of programs linked long ago; libc has it under that one old version.
  int (*yields[])(void) = {(int (*)(void))find("sched_yield"), (int (*)(void))find("__sched_yield"),
                           (int (*)(void))dlvsym(RTLD_DEFAULT, "pthread_yield", "GLIBC_2.2.5")};
  for (int i = 0; i < 3; ++i) say("yield", yields[i]());
  say("__nanosleep", ((int (*)(struct timespec *, void *))find("__nanosleep"))(&(struct timespec){0, 1000}, 0));
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  FILE *locked = text("");
  ((void (*)(FILE *))find("_IO_flockfile"))(locked);
  say("_IO_ftrylockfile", ((int (*)(FILE *))find("_IO_ftrylockfile"))(locked));
  ((void (*)(FILE *))find("_IO_funlockfile"))(locked);
  ((void (*)(FILE *))f)(locked);
  for (const char *const *n = (const char *const[]){"bsd_signal", "ssignal", "sysv_signal", "__sysv_signal", 0}; *n; ++n) {
    void (*(*s)(int, void (*)(int)))(int) = find(*n);
    printf("%s %d", *n, s(SIGUSR1, SIG_IGN) == SIG_DFL);
    printf(" %d\n", s(SIGUSR1, SIG_DFL) == SIG_IGN);
  }
  struct sigaction now;
  say("__sigaction", ((int (*)(int, void *, void *))find("__sigaction"))(SIGUSR1, 0, &now));
  return 0;
}
