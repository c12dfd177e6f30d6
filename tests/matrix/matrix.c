/* SPDX-License-Identifier: Apache-2.0 */
/* The differential matrix: every interposed name that has to do with a descriptor x every kind of descriptor x its state
 * x sizes, offsets and flags. A line a case: value, errno, the memory, the file's offset, SIGPIPE, and what is left to read.
 * The same program run bare and under weir, plain, in threads, loops and tasks, must print the same.
 *
 * matrix [SHARE OF [files]] prints the cases whose number is SHARE modulo OF, those with files of its own alone (they lie in
 * $WEIR_TEST_FILES, or in /var/tmp); matrix names prints the names it calls;
 * matrix waits prints how each case that had to wait did so: see effect.h. */
#include "calls.h"
#include "effect.h"

void each(int count, void (*body)(int)); /* the context: calls body(0 ... count - 1), in tasks, a loop, or threads */

struct row { short call, kind, state, size; };
static struct row *rows;
static char (*lines)[160];

/* How much is asked for, from where, and into what. */
enum memory { there, missing, half /* the page after its first six bytes is not there */ };
static const struct size {
  long bytes, offset;
  enum memory memory;
  int parts; /* -1: as the bytes say; else so many, of vectors only */
  int message, file; /* flags of calls on sockets, and of preadv2 and pwritev2; only calls that have some are made with them */
} sizes[] = {{13, 0, there, -1}, {0, 2, there, -1}, {1, 9999, there, -1}, {4096, 20000, there, -1}, {5000, -1, there, -1},
             {13, -5, missing, -1}, {13, 0, half, -1}, {0x80000000L, 0, there, -1}, {0x10000000aL, 4, there, -1},
             {0, 0, there, 0}, {2048, 0, there, 1024}, {2050, 0, there, 1025},
             {13, 0, there, -1, MSG_DONTWAIT, RWF_HIPRI}, {13, 0, there, -1, MSG_PEEK, RWF_DSYNC},
             {13, 0, there, -1, MSG_WAITALL, RWF_APPEND}, {13, -1, there, -1, MSG_TRUNC, RWF_NOWAIT},
             {5, 0, there, -1, MSG_ERRQUEUE, 1 << 20}, {13, 0, there, -1, MSG_OOB | MSG_DONTWAIT}, {13, 0, there, -1, MSG_NOSIGNAL}};
#define SIZES ((int)(sizeof sizes / sizeof *sizes))
#define ROOM 16384 /* more than any descriptor here gives */

/* Not before the call is about to be made, however late its thread gets to run. */
static void *feed(void *subject) {
  struct subject *s = subject;
  while (!__atomic_load_n(&s->calling, __ATOMIC_ACQUIRE)) syscall(SYS_sched_yield);
  syscall(SYS_nanosleep, &(struct timespec){0, s->feed_ms * 1000000}, 0);
  __atomic_store_n(&s->fed, 1, __ATOMIC_RELEASE);
  kernel_write(s->peer, hello, 13);
  return 0;
}

static int takes_message_flags(const struct call *call) {
  return call->how == c_recv || call->how == c_recv_chk || call->how == c_recvfrom || call->how == c_recvfrom_chk ||
         call->how == c_message || call->how == c_messages;
}

/* Out of line: compilers keep the address of errno over a call, and a oneTBB task may return from one on another thread.
 * After a failed call weir brings the task home first; after one that succeeds, this is the reader's to mind. */
__attribute__((noinline)) static void set_errno(int value) { errno = value; }
__attribute__((noinline)) static int get_errno(void) { return errno; }

static int flags_for(const struct call *call, const struct size *size) {
  return call->how == c_pvector2 ? size->file : takes_message_flags(call) ? size->message : 0;
}

static void run(int index) {
  const struct row *row = &rows[index];
  const struct call *call = &calls[row->call];
  const struct kind *kind = &kinds[row->kind];
  sigset_t pipe_signal, before;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);

  const struct size *size = &sizes[row->size];
  unsigned char *page = mmap(0, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(page + ROOM, 4096, PROT_NONE);
  for (int i = 0; i < ROOM; ++i) page[i] = (unsigned char)(i * 7 + 1);
  struct subject s = {.fd = -1, .peer = -1};
  kind->make(&s);
  enter(&s, kind, row->state);
  struct arguments a = {&s, page, (size_t)size->bytes, size->offset, size->parts, flags_for(call, size)};
  if (size->memory == missing) a.buffer = (unsigned char *)8;
  if (size->memory == half) a.buffer = page + ROOM - 6;
  pthread_t feeder;
  if (s.feed_ms) feeder = start(feed, &s);

  void *function = dlsym(RTLD_DEFAULT, call->name);
  struct weir_statistics before_it = waits_so_far();
  set_errno(0);
  __atomic_store_n(&s.calling, 1, __ATOMIC_RELEASE);
  long result = call->how(function, &a);
  int error = get_errno();
  const char *effect = s.fed && result > 0 && (call->way & either) == in ? how_it_waited(&before_it) : "did not wait";

  struct timespec at_once = {0, 0};
  int signal = 0;
  while (syscall(SYS_rt_sigtimedwait, &pipe_signal, 0, &at_once, 8) == SIGPIPE) ++signal;
  if (s.feed_ms) pthread_join(feeder, 0);
  long offset = s.fd >= 0 ? syscall(SYS_lseek, s.fd, 0, SEEK_CUR) : -1;
  char rest[4096];
  long left[2] = {-2, -2};
  for (int i = 0; i < 2; ++i) {
    int fd = i ? s.peer : s.fd;
    if (!kind->stream || fd < 0 || row->state == full || row->state == limited) continue;
    if (kind->make == kind_terminal) { /* when, and in how many pieces, is the affair of a thread of the kernel's */
      left[i] = i && call->way & out && result > 0 ? ready_within(fd, 1000) : -3;
      continue;
    }
    syscall(SYS_fcntl, fd, F_SETFL, O_NONBLOCK);
    left[i] = kernel_read(fd, rest, sizeof rest);
  }
  /* What came of chance: all of it, or what a direct read, which may write whole sectors, writes past the file's end. */
  long room = page + ROOM - a.buffer, end = size->bytes < room ? size->bytes : room, from = end;
  if (call->way & in && result > 0) from = kind->make == kind_random ? 0 : kind->make == kind_direct ? result : end;
  if (from < end) memset(a.buffer + from, 0, (size_t)(end - from));
  snprintf(lines[index], sizeof lines[index], "%s | %s | %s | %ld@%ld,%d,%d,%x: %ld %s mem %08x off %ld pipe %d left %ld %ld",
           call->name, kind->name, state_names[row->state], size->bytes, size->offset, size->memory, size->parts, a.flags, result,
           error ? strerrorname_np(error) : "-", hash(page, ROOM), offset, signal, left[0], left[1]);
  if (the_effect) snprintf(lines[index], sizeof lines[index], "%s | %s | %s", call->name, kind->name, effect);
  if (s.fd >= 0 && s.fd != 9999) syscall(SYS_close, s.fd);
  if (s.peer >= 0) syscall(SYS_close, s.peer);
  munmap(page, ROOM + 4096);
  pthread_sigmask(SIG_SETMASK, &before, 0);
}

/* A thread that does not get to run for as long as its data is late finds it there: what seemed not to wait is done again. */
static void run_patiently(int index) {
  run(index);
  if (!strstr(lines[index], "plain")) return;
  late_ms = 10;
  run(index);
  late_ms = 2;
}

static int uses_file(const struct call *call) {
  static const caller all[] = {c_fread, c_fread_chk, c_fgets, c_fgets_chk, c_getc, c_fwrite, c_fputs, c_fprintf, c_fprintf_chk};
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i)
    if (call->how == all[i]) return 1;
  return 0;
}

static int takes_parts(const struct call *call) {
  return call->how == c_vector || call->how == c_pvector || call->how == c_pvector2 || call->how == c_message ||
         call->how == c_messages;
}

/* Would the call, natively, wait for ever? Or is its result a matter of chance? */
static int left_out(const struct call *call, const struct kind *kind, int state, long size) {
  int file = uses_file(call) && call->way & in;
  if (uses_file(call) && kind->make == kind_direct) return 1; /* is libc's buffer aligned? */
  /* What was sent makes its way meanwhile, and leaves room. */
  if (call->way & out && kind->make == kind_tcp && (state == limited || state == full)) return 1;
  if (call->way & in && call->way & out) return 0;
  if (call->way & in && kind->stream == 2 && state != nonblocking && state != full) return 0; /* EBADF */
  /* A peer that is gone says nothing to a socket of datagrams. */
  if (call->way & in && state == ended && (kind->make == kind_unix_dgram || kind->make == kind_udp)) return 1;
  /* A FILE that asks for more than comes, and a pipe's other end that takes nothing. */
  if (file && kind->stream && (state == ready || state == late) && ((size != 1 && size != 13) || call->how == c_getc)) return 1;
  if (kind->make == kind_timerfd && file) return 1;
  if (kind->make == kind_terminal && state == full) return 1; /* until that thread of the kernel's has made room */
  if (kind->make == kind_random && (file || call->how == c_getc)) return 1; /* what it reads */
  return 0;
}

static int only_files;
static int is_file(const struct kind *kind) { return strstr(kind->name, "file") != 0; }

static void list(int share, int of, int *count) {
  int number = 0;
  for (int c = 0; c < CALLS; ++c)
    for (int k = 0; k < KINDS; ++k)
      for (int s = 0; s < states; ++s)
        for (int z = 0; z < SIZES; ++z) {
          if (s && !kinds[k].stream) continue;
          if (only_files && !is_file(&kinds[k])) continue;
          if (z && calls[c].way & once) continue;
          if (sizes[z].parts >= 0 && !takes_parts(&calls[c])) continue;
          if (sizes[z].bytes > ROOM && uses_file(&calls[c])) continue; /* they cut it themselves */
          /* How much TCP takes before it comes to memory that is not there is chance; a terminal waits before that. */
          if (sizes[z].bytes > ROOM && calls[c].way & out && (kinds[k].make == kind_tcp || kinds[k].make == kind_terminal)) continue;
          if (s == limited && !is_socket(&kinds[k])) continue;
          int waits_by_flag = sizes[z].message == MSG_PEEK || sizes[z].message == MSG_WAITALL;
          if (z >= 6 && s == late && !waits_by_flag) continue; /* all that waits, twice, would take long */
          if (z >= 1 && s == limited && !waits_by_flag) continue;
          /* Whether a write that must not wait finds the file's locks free is chance, whether a read finds the page, and
             whether the timer has rung. */
          if (flags_for(&calls[c], &sizes[z]) == RWF_NOWAIT && calls[c].how == c_pvector2 &&
              (calls[c].way & out || is_file(&kinds[k]) || kinds[k].make == kind_timerfd))
            continue;
          if ((sizes[z].message || sizes[z].file) && !flags_for(&calls[c], &sizes[z])) continue;
          if (sizes[z].memory != there && (calls[c].how == c_fgets || calls[c].how == c_fread || calls[c].how == c_fgets_chk ||
                               calls[c].how == c_fread_chk || calls[c].how == c_fwrite))
            continue; /* libc itself would fall over it */
          if (left_out(&calls[c], &kinds[k], s, sizes[z].bytes)) continue;
          if (the_effect && (s != late || z)) continue;
          if (number++ % of != share) continue;
          if (rows) rows[*count] = (struct row){(short)c, (short)k, (short)s, (short)z};
          ++*count;
        }
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "names")) {
    for (int i = 0; i < CALLS; ++i) puts(calls[i].name);
    return 0;
  }
  the_effect = argc == 2 && !strcmp(argv[1], "waits");
  only_files = argc > 3;
  int share = argc > 2 ? atoi(argv[1]) : 0, of = argc > 2 ? atoi(argv[2]) : 1, count = 0;
  setvbuf(stdout, 0, _IOFBF, 1 << 20);
  // In every thread there will be: a oneTBB task that is set aside may go on on another, whose mask is its own.
  sigset_t pipe_signal;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, 0);
  setrlimit(RLIMIT_NOFILE, &(struct rlimit){4096, 4096});
  list(share, of, &count);
  rows = calloc((size_t)count, sizeof *rows);
  lines = calloc((size_t)count, sizeof *lines);
  int again = 0;
  list(share, of, &again);
  double began = now_s();
  each(count, the_effect ? run_patiently : run);
  for (int i = 0; i < count; ++i) puts(lines[i]);
  fprintf(stderr, "%d cases in %.1f s\n", count, now_s() - began);
  return 0;
}
