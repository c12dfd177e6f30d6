/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that fails, for weir alone. Put in front of libweir_preload.so by LD_PRELOAD, this has a seccomp filter answer
 * the system calls that are made from that library's own code by a signal, whose handler does the call or lets it fail, by
 * chance: as the kernel might. What the program itself asks for is left alone, and the library is the one that is shipped.
 *
 * FAULT_SEED: which faults, and how often. FAULT_ONLY: only the kinds named, by commas. FAULT_REPORT: a file that gets a
 * line for each kind that occurred. Not across exec: the filter stays, the handler does not. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <ucontext.h>
#include <unistd.h>

enum kind { setup, tiny_ring, refused_register, enter, partial, operation, short_transfer, memory, spurious_wake, not_now,
            descriptors, thread, heap, scheduling, kinds };
static const char *const names[kinds] = {
    "setup", "tiny_ring", "register", "enter", "partial", "operation", "short", "memory", "futex", "not_now",
    "descriptors", "thread", "heap", "scheduling"};

static uintptr_t code_begin, code_end; /* of libweir_preload.so */
static unsigned one_in[kinds];         /* 0: never */
static uint64_t seed;
static _Atomic uint64_t questions;
static _Atomic long occurred[kinds];
static const char *report;
static int can_inject; /* NOP with a result of our choice: Linux 6.10 */

static long raw(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}
static uint64_t next(void) { return mix(seed + 0x9E3779B97F4A7C15u * atomic_fetch_add_explicit(&questions, 1, memory_order_relaxed)); }

static int fails(enum kind kind) {
  if (!one_in[kind] || next() % one_in[kind]) return 0;
  atomic_fetch_add_explicit(&occurred[kind], 1, memory_order_relaxed);
  return 1;
}
static long one_of(const short *errors, int count) { return -errors[next() % (unsigned)count]; }
#define ONE_OF(...) one_of((const short[]){__VA_ARGS__}, sizeof((const short[]){__VA_ARGS__}) / sizeof(short))

/* The ring that was last mapped: there is one a process, and only its owner enters it. */
static struct {
  int fd; /* as it was set up */
  struct io_uring_params given;
  char *queues;
  struct io_uring_sqe *entries;
  unsigned looked_at; /* up to this entry they are as we want them */
} ring;

static long set_up(long entries, struct io_uring_params *parameters) {
  if (fails(setup)) return ONE_OF(ENOMEM, EPERM, EMFILE, ENFILE, ENOSYS, EAGAIN);
  if (fails(tiny_ring)) { /* the completion queue soon overflows, the submission queue soon is full */
    entries = 2;
    parameters->flags |= IORING_SETUP_CQSIZE;
    parameters->cq_entries = 4;
  }
  long fd = raw(SYS_io_uring_setup, entries, (long)parameters, 0, 0, 0, 0);
  if (fd >= 0) ring.fd = (int)fd, ring.given = *parameters, ring.looked_at = 0, ring.queues = 0, ring.entries = 0;
  return fd;
}

static long mapped(const long *a) {
  long as_a_ring = MAP_SHARED | MAP_POPULATE; /* liburing's way */
  int of_ring = (int)a[4] >= 0 && (int)a[4] == ring.fd && (a[5] == IORING_OFF_SQ_RING || a[5] == (long)IORING_OFF_SQES) &&
                (a[3] & as_a_ring) == as_a_ring;
  if (fails(memory)) return -ENOMEM;
  long at = raw(SYS_mmap, a[0], a[1], a[2], a[3], a[4], a[5]);
  /* The first of each kind: the ring's number is soon free again, and what is mapped by it then is no ring. */
  if (of_ring && at > 0 && a[5] == IORING_OFF_SQ_RING && !ring.queues) ring.queues = (char *)at;
  if (of_ring && at > 0 && a[5] == (long)IORING_OFF_SQES && !ring.entries) ring.entries = (struct io_uring_sqe *)at;
  return at;
}

/* A read of a file ends with the file, or between two blocks. */
static int may_end_after(const struct io_uring_sqe *sqe, unsigned length) {
  if (sqe->opcode == IORING_OP_WRITE || sqe->opcode == IORING_OP_WRITEV) return 1;
  struct stat about;
  if (raw(SYS_fstat, sqe->fd, (long)&about, 0, 0, 0, 0) || !S_ISREG(about.st_mode)) return 0;
  const struct iovec *parts = (const struct iovec *)sqe->addr;
  size_t bytes = length;
  if (sqe->opcode == IORING_OP_READV)
    for (bytes = 0; length; --length) bytes += parts[length - 1].iov_len;
  return (sqe->off + bytes) % 512 == 0;
}

/* The operation fails without effect: a NOP in its place, with that result. Cancels and the limits linked to an operation
 * always succeed. */
static void spoil(struct io_uring_sqe *sqe) {
  if (sqe->opcode == IORING_OP_ASYNC_CANCEL || sqe->opcode == IORING_OP_LINK_TIMEOUT) return;
  if (can_inject && fails(operation)) {
    struct io_uring_sqe nop = {.opcode = IORING_OP_NOP, .fd = -1, .flags = sqe->flags, .user_data = sqe->user_data};
    nop.len = (unsigned)ONE_OF(ENOMEM, EAGAIN, EINTR, ECANCELED, EBUSY);
    nop.rw_flags = 1; /* IORING_NOP_INJECT_RESULT */
    *sqe = nop;
    return;
  }
  int bytes = sqe->opcode == IORING_OP_READ || sqe->opcode == IORING_OP_WRITE;
  int parts = sqe->opcode == IORING_OP_READV || sqe->opcode == IORING_OP_WRITEV;
  if ((!bytes && !parts) || sqe->len < 2) return;
  unsigned length = 1 + (unsigned)(next() % (sqe->len - 1));
  if (sqe->opcode == IORING_OP_READ) length = length & ~511u; /* or hardly one would do */
  if (length && may_end_after(sqe, length) && fails(short_transfer)) sqe->len = length;
}

static void spoil_entries(void) {
  if (!ring.queues || !ring.entries) return;
  unsigned head = __atomic_load_n((unsigned *)(ring.queues + ring.given.sq_off.head), __ATOMIC_ACQUIRE);
  unsigned tail = __atomic_load_n((unsigned *)(ring.queues + ring.given.sq_off.tail), __ATOMIC_ACQUIRE);
  unsigned mask = *(unsigned *)(ring.queues + ring.given.sq_off.ring_mask);
  unsigned *array = (unsigned *)(ring.queues + ring.given.sq_off.array);
  if ((int)(ring.looked_at - head) < 0) ring.looked_at = head;
  for (; ring.looked_at != tail; ++ring.looked_at) spoil(&ring.entries[array[ring.looked_at & mask]]);
}

static long entered(const long *a) {
  long count = a[1];
  if (fails(enter)) return ONE_OF(EINTR, EAGAIN, EBUSY, ENOMEM);
  if (count) spoil_entries();
  /* Then the kernel does not wait either. */
  if (count > 1 && fails(partial))
    return raw(SYS_io_uring_enter, a[0], 1 + (long)(next() % (uint64_t)(count - 1)), 0, a[3] & ~IORING_ENTER_GETEVENTS, a[4], a[5]);
  return raw(SYS_io_uring_enter, a[0], count, a[2], a[3], a[4], a[5]);
}

/* The handler's own mask is given up when it returns, so the change is made where it will hold. SIGSYS stays open. */
static long masked(const long *a, ucontext_t *context) {
  long how = a[0];
  if (!a[1] || how < SIG_BLOCK || how > SIG_SETMASK || a[3] != 8) return raw(SYS_rt_sigprocmask, how, a[1], a[2], a[3], 0, 0);
  uint64_t set = *(uint64_t *)a[1], now;
  memcpy(&now, &context->uc_sigmask, sizeof now);
  if (a[2]) memcpy((void *)a[2], &now, sizeof now);
  now = how == SIG_BLOCK ? now | set : how == SIG_UNBLOCK ? now & ~set : set;
  now &= ~(1ull << (SIGSYS - 1));
  memcpy(&context->uc_sigmask, &now, sizeof now);
  return 0;
}

/* "Not now" of a descriptor that is ready: who waits for it then goes on at once. */
static int says_not_now(long number, int fd) {
  struct pollfd one = {fd, number == SYS_sendto || number == SYS_sendmsg ? POLLOUT : POLLIN, 0};
  return one_in[not_now] && raw(SYS_poll, (long)&one, 1, 0, 0, 0, 0) == 1 && one.revents & one.events && fails(not_now);
}

static long answer(long number, const long *a, ucontext_t *context) {
  switch (number) {
    case SYS_io_uring_setup: return set_up(a[0], (struct io_uring_params *)a[1]);
    case SYS_io_uring_enter: return entered(a);
    case SYS_io_uring_register: if (fails(refused_register)) return ONE_OF(ENOMEM, EINVAL, EBUSY, EPERM); break;
    case SYS_mmap: return mapped(a);
    case SYS_mprotect: case SYS_madvise: if (fails(memory)) return ONE_OF(ENOMEM, EAGAIN, EINVAL); break;
    case SYS_futex:
      if (((a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT || (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET) && fails(spurious_wake))
        return ONE_OF(EINTR, EAGAIN, 0);
      break;
    case SYS_preadv2: if (says_not_now(number, (int)a[0])) return -EAGAIN; break;
    case SYS_recvfrom: case SYS_recvmsg: case SYS_sendto: case SYS_sendmsg:
      if ((a[number == SYS_recvfrom || number == SYS_sendto ? 3 : 2] & MSG_DONTWAIT) && says_not_now(number, (int)a[0])) return -EAGAIN;
      break;
    case SYS_eventfd2: case SYS_openat: if (fails(descriptors)) return ONE_OF(EMFILE, ENFILE, ENOMEM); break;
    case SYS_fcntl: if (a[1] == F_DUPFD_CLOEXEC && fails(descriptors)) return -EMFILE; break;
    case SYS_sched_setattr: case SYS_prctl: if (fails(scheduling)) return -EPERM; break;
    case SYS_rt_sigprocmask: return masked(a, context);
    default: break;
  }
  return raw(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void on_call(int signal, siginfo_t *info, void *context_) {
  (void)signal;
  ucontext_t *context = context_;
  greg_t *g = context->uc_mcontext.gregs;
  const long a[6] = {g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10], g[REG_R8], g[REG_R9]};
  g[REG_RAX] = answer(info->si_syscall, a, context);
}

/* libc's calls that weir makes. Before the first question is asked there is no code_begin. */
static int of_weir(void *from) { return (uintptr_t)from >= code_begin && (uintptr_t)from < code_end; }

extern void *__libc_malloc(size_t bytes);
void *malloc(size_t bytes) {
  if (of_weir(__builtin_return_address(0)) && fails(heap)) {
    errno = ENOMEM;
    return 0;
  }
  return __libc_malloc(bytes);
}

int pthread_create(pthread_t *into, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (!real) real = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
  return of_weir(__builtin_return_address(0)) && fails(thread) ? EAGAIN : real(into, attributes, body, argument);
}

static int find_code(struct dl_phdr_info *object, size_t size, void *unused) {
  (void)size, (void)unused;
  if (!strstr(object->dlpi_name, "libweir_preload.so")) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
    code_begin = object->dlpi_addr + segment->p_vaddr;
    code_end = code_begin + segment->p_memsz;
  }
  return 1;
}

static int filter_calls(void) {
#define HALF(field, high) ((unsigned)offsetof(struct seccomp_data, field) + ((high) ? 4 : 0))
  static const short numbers[] = {SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_mmap, SYS_mprotect,
                                  SYS_madvise, SYS_futex, SYS_preadv2, SYS_recvfrom, SYS_recvmsg, SYS_sendto, SYS_sendmsg,
                                  SYS_eventfd2, SYS_openat, SYS_fcntl, SYS_sched_setattr, SYS_prctl, SYS_rt_sigprocmask};
  enum { count = sizeof numbers / sizeof *numbers };
  if (code_begin >> 32 != code_end >> 32) return -1;
  struct sock_filter f[count + 16];
  int n = 0;
  f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, HALF(instruction_pointer, 1));
  f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(code_begin >> 32), 0, 3 + count + 1);
  f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, HALF(instruction_pointer, 0));
  f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (unsigned)code_begin, 0, 1 + count + 1);
  f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (unsigned)code_end, count + 1, 0);
  f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < count; ++i)
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)numbers[i], (unsigned char)(count - i), 0);
  f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
  struct sock_fprog program = {(unsigned short)n, f};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int named(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; (at = strstr(at, name)); ++at)
    if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ',')) return 1;
  return 0;
}

/* Half of the kinds do not occur at all with a seed; the others seldom or often. */
static void choose_faults(const char *only) {
  static const unsigned how_seldom[] = {0, 0, 0, 3, 10, 40};
  for (int i = 0; i < kinds; ++i) {
    one_in[i] = how_seldom[mix(seed * 64 + (unsigned)i) % (sizeof how_seldom / sizeof *how_seldom)];
    if (only) one_in[i] = named(only, names[i]) ? one_in[i] ? one_in[i] : 5 : 0;
  }
  if (!only && one_in[setup] && seed % 4) one_in[setup] = 0; /* or there would seldom be a ring */
}

static const char *setting(char **environment, const char *name) {
  size_t length = strlen(name);
  for (; *environment; ++environment)
    if (!strncmp(*environment, name, length) && (*environment)[length] == '=') return *environment + length + 1;
  return 0;
}

/* Linked to come first of all, before weir's constructor, and before libc's: there is no getenv() yet. */
__attribute__((constructor)) static void begin(int count, char **words, char **environment) {
  (void)count, (void)words;
  const char *text = setting(environment, "FAULT_SEED"), *only = setting(environment, "FAULT_ONLY");
  if (!text) return;
  report = setting(environment, "FAULT_REPORT");
  dl_iterate_phdr(find_code, 0);
  struct utsname system;
  if (!uname(&system)) {
    char *rest;
    unsigned long major = strtoul(system.release, &rest, 10);
    can_inject = major * 100 + strtoul(rest + 1, 0, 10) >= 610;
  }
  struct { /* as the kernel has it: libc's sigaction is weir's */
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void *restorer;
    uint64_t mask;
  } action = {on_call, SA_SIGINFO | SA_NODEFER | 0x04000000, 0, 0};
  extern char fault_return[];
  action.restorer = fault_return;
  if (raw(SYS_rt_sigaction, SIGSYS, (long)&action, 0, 8, 0, 0) || !code_end || filter_calls()) {
    (void)!write(2, "faulty_kernel: no filter here\n", 30);
    _exit(77);
  }
  seed = mix(strtoull(text, 0, 10));
  choose_faults(only);
}

__attribute__((destructor)) static void end(void) {
  if (!report || !seed) return;
  FILE *out = fopen(report, "ae");
  for (int i = 0; out && i < kinds; ++i)
    if (occurred[i]) fprintf(out, "%s %ld\n", names[i], (long)occurred[i]);
  if (out) fclose(out);
}

__asm__(".pushsection .text\n.globl fault_return\nfault_return: movq $15, %rax\nsyscall\n.popsection\n");
