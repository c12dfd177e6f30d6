/* SPDX-License-Identifier: Apache-2.0 */
/* Waits that have no ring operation: locks by fcntl and lockf, children, System V's semaphores and messages, batches of datagrams.
 * must count: parked */
#include "case.h"

#include <dlfcn.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

static pthread_t waiter;
static int files[2], queue, semaphores, sockets[2];
static char big[1 << 16];

static void handler(int signal) { (void)signal; }
static void *interrupt_late(void *unused) {
  nap_ms(20);
  pthread_kill(waiter, SIGUSR1);
  return unused;
}
static struct flock of(int kind) { return (struct flock){.l_type = kind, .l_whence = SEEK_SET, .l_start = 3, .l_len = 5}; }
static int lock(int fd, int command, int kind) {
  struct flock l = of(kind);
  return fcntl(fd, command, &l);
}
static void *unlock_late(void *unused) {
  nap_ms(20);
  lock(files[0], F_OFD_SETLK, F_UNLCK);
  return unused;
}

/* A child that does so after a while, or at once; what it ends with. */
static pid_t child(int ms, int status) {
  pid_t pid = fork();
  if (pid) return pid;
  nap_ms(ms);
  _exit(status);
}
static void commands(void) {
  int fd = files[0], copy = fcntl(fd, F_DUPFD, 100);
  say("F_DUPFD", copy);
  say("of it F_GETFD", fcntl(copy, F_GETFD));
  say("F_SETFD", fcntl(copy, F_SETFD, FD_CLOEXEC));
  say("F_GETFD", fcntl(copy, F_GETFD));
  say("F_GETFL", fcntl(copy, F_GETFL));
  say("F_SETFL", fcntl(copy, F_SETFL, O_APPEND | O_NONBLOCK));
  say("F_GETFL", fcntl(fd, F_GETFL));
  say("F_SETFL", fcntl(fd, F_SETFL, 0));
  say("F_DUPFD_CLOEXEC", fcntl(fd, F_DUPFD_CLOEXEC, 200));
  struct f_owner_ex owner = {F_OWNER_PID, getpid()};
  say("F_SETOWN_EX", fcntl(sockets[0], F_SETOWN_EX, &owner));
  say("F_GETOWN", fcntl(sockets[0], F_GETOWN) == getpid());
  say("no such command", fcntl(fd, 9999, 1));
  say("of nothing", fcntl(-1, F_GETFL));
  say("of nothing F_OFD_SETLKW", lock(-1, F_OFD_SETLKW, F_WRLCK));
  say("no memory", fcntl(fd, F_OFD_SETLKW, (void *)8));
  struct flock l = of(F_WRLCK);
  say("__fcntl", ((int (*)(int, int, ...))dlsym(RTLD_DEFAULT, "__fcntl"))(fd, F_OFD_GETLK, &l));
  say("fcntl64", fcntl64(fd, F_OFD_GETLK, &l));
  close(copy), close(200);
}
static void locks(void) {
  say("F_OFD_SETLKW", lock(files[0], F_OFD_SETLKW, F_WRLCK));
  say("F_OFD_SETLK, held", lock(files[1], F_OFD_SETLK, F_WRLCK));
  pthread_t t = start(unlock_late, 0);
  say("F_OFD_SETLKW waits", lock(files[1], F_OFD_SETLKW, F_RDLCK));
  pthread_join(t, 0);
  t = start(interrupt_late, 0);
  say("F_OFD_SETLKW, interrupted", lock(files[0], F_OFD_SETLKW, F_WRLCK));
  pthread_join(t, 0);
  struct flock odd = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_pid = 7};
  say("F_OFD_SETLKW, with a process", fcntl(files[0], F_OFD_SETLKW, &odd));
  int told[2];
  char byte;
  assert(!pipe(told));
  lock(files[1], F_OFD_SETLK, F_UNLCK);
  for (int by_lockf = 0; by_lockf < 2; ++by_lockf) {
    pid_t pid = fork();
    if (!pid) { /* another process holds it for a while */
      struct flock l = of(F_WRLCK);
      fcntl(files[1], F_SETLKW, &l);
      if (write(told[1], "x", 1) != 1) _exit(1);
      nap_ms(20);
      _exit(0);
    }
    say("told", read(told[0], &byte, 1));
    if (by_lockf) say("lockf waits", lockf(files[0], F_LOCK, 8));
    else say("F_SETLKW waits", lock(files[0], F_SETLKW, F_WRLCK));
    say("child", waitpid(pid, 0, 0) == pid);
    say("free", by_lockf ? lockf(files[0], F_ULOCK, 8) : lock(files[0], F_SETLK, F_UNLCK));
  }
  say("F_TEST", lockf(files[0], F_TEST, 8));
  say("lockf, no such thing", lockf(files[0], 55, 8));
  say("lockf64", lockf64(files[0], F_LOCK, 8));
  int read_only = open("/proc/self/exe", O_RDONLY);
  say("lockf, read only", lockf(read_only, F_LOCK, 1));
  close(read_only), close(told[0]), close(told[1]);
}
static void children(void) {
  int status;
  struct rusage used;
  siginfo_t news = {0};
  pid_t pid = child(20, 3);
  say("wait", wait(&status) == pid);
  say("its status", WEXITSTATUS(status));
  pid = child(20, 4);
  say("waitpid", waitpid(-1, &status, 0) == pid);
  say("its status", WEXITSTATUS(status));
  pid = child(20, 5);
  say("waitpid, WNOHANG", waitpid(pid, &status, WNOHANG));
  say("wait3", wait3(&status, 0, &used) == pid);
  say("its status", WEXITSTATUS(status));
  pid = child(20, 6);
  say("wait4", wait4(pid, &status, 0, &used) == pid);
  say("its status", WEXITSTATUS(status));
  pid = child(20, 7);
  say("waitid, WNOWAIT", waitid(P_PID, pid, &news, WEXITED | WNOWAIT));
  say("whose", news.si_pid == pid && news.si_code == CLD_EXITED);
  say("waitid", waitid(P_PID, pid, &news, WEXITED));
  say("its status", news.si_status);
  pid = child(20, 8);
  say("__waitpid", ((pid_t (*)(pid_t, int *, int))dlsym(RTLD_DEFAULT, "__waitpid"))(pid, &status, 0) == pid);
  pid = child(60, 9);
  pthread_t t = start(interrupt_late, 0);
  say("waitpid, interrupted", waitpid(pid, &status, 0));
  pthread_join(t, 0);
  kill(pid, SIGTERM);
  say("waitid without news", waitid(P_PID, pid, 0, WEXITED));
  pid = child(20, 10);
  say("__wait", ((pid_t (*)(int *))dlsym(RTLD_DEFAULT, "__wait"))(&status) == pid);
  say("nobody left", wait(&status));
  say("nobody left", waitid(P_ALL, 0, &news, WEXITED));
  say("no such option", waitpid(-1, &status, 0x7000));
}
struct Message {
  long type;
  char text[16];
};
static void *post_late(void *unused) {
  nap_ms(20);
  semop(semaphores, &(struct sembuf){0, 2, 0}, 1);
  return unused;
}
static void *send_late_by_queue(void *unused) {
  nap_ms(20);
  msgsnd(queue, &(struct Message){7, "seven"}, 6, 0);
  return unused;
}
static void *drain_late(void *unused) {
  nap_ms(20);
  while (msgrcv(queue, big, sizeof big - 8, 3, IPC_NOWAIT) >= 0) {}
  return unused;
}
static void system_v(void) {
  semaphores = semget(IPC_PRIVATE, 2, 0600);
  queue = msgget(IPC_PRIVATE, 0600);
  struct sembuf down = {0, -1, 0}, both[2] = {{0, -1, 0}, {1, 1, 0}}, at_once = {0, -1, IPC_NOWAIT};
  say("semop, IPC_NOWAIT", semop(semaphores, &at_once, 1));
  pthread_t t = start(post_late, 0);
  say("semop waits", semop(semaphores, both, 2));
  pthread_join(t, 0);
  say("the second", semctl(semaphores, 1, GETVAL));
  say("semop goes on", semop(semaphores, &down, 1));
  say("semtimedop", semtimedop(semaphores, &down, 1, &(struct timespec){0, 5000000}));
  say("no steps", semop(semaphores, &down, 0));
  say("too many", semop(semaphores, &down, 100000));
  say("no memory", semop(semaphores, (void *)8, 1));
  t = start(interrupt_late, 0);
  say("semop, interrupted", semop(semaphores, &down, 1));
  pthread_join(t, 0);
  struct Message m;
  say("msgrcv, IPC_NOWAIT", msgrcv(queue, &m, sizeof m.text, 0, IPC_NOWAIT));
  t = start(send_late_by_queue, 0);
  say_data("msgrcv waits", msgrcv(queue, &m, sizeof m.text, 7, 0), m.text);
  pthread_join(t, 0);
  msgsnd(queue, &(struct Message){1, "sixteen bytes.."}, 16, 0);
  say("msgrcv, too long", msgrcv(queue, &m, 3, 0, 0));
  say_data("msgrcv, cut", msgrcv(queue, &m, 3, 0, MSG_NOERROR), m.text);
  *(long *)big = 3;
  long sent = 0;
  while (!msgsnd(queue, big, 4096, IPC_NOWAIT)) ++sent;
  say("msgsnd, full", sent > 0 ? -1 : 0);
  t = start(drain_late, 0);
  say("msgsnd waits", msgsnd(queue, big, 4096, 0));
  pthread_join(t, 0);
  semctl(semaphores, 0, IPC_RMID), msgctl(queue, IPC_RMID, 0);
  say("msgrcv, gone", msgrcv(queue, &m, 3, 0, 0));
  say("semop, gone", semop(semaphores, &down, 1));
}
static void *send_three_late(void *unused) {
  for (int i = 0; i < 3; ++i) {
    nap_ms(i ? 5 : 20);
    send(sockets[1], "datagram" + i, 8 - i, 0);
  }
  return unused;
}
static void *receive_late(void *unused) {
  nap_ms(20);
  char byte[8];
  while (recv(sockets[0], byte, 8, 0) > 0 && *byte != 'z') {}
  return unused;
}
static void *send_halves_late(void *ends) {
  for (int i = 0; i < 2; ++i) {
    nap_ms(20);
    send(((int *)ends)[1], "half", 4, 0);
  }
  return ends;
}
static void batches(void) {
  char texts[3][16] = {0};
  struct iovec parts[3];
  struct mmsghdr m[3] = {0};
  for (int i = 0; i < 3; ++i) {
    parts[i] = (struct iovec){texts[i], 16};
    m[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i], .msg_iovlen = 1};
  }
  say("recvmmsg, MSG_DONTWAIT", recvmmsg(sockets[0], m, 3, MSG_DONTWAIT, 0));
  say("recvmmsg of none", recvmmsg(sockets[0], m, 0, 0, 0));
  pthread_t t = start(send_three_late, 0);
  say_data("recvmmsg, MSG_WAITFORONE", recvmmsg(sockets[0], m, 3, MSG_WAITFORONE, 0), texts[0]);
  pthread_join(t, 0);
  say("the rest", recvmmsg(sockets[0], m, 3, MSG_WAITFORONE, 0));
  t = start(send_three_late, 0);
  say("recvmmsg waits for all", recvmmsg(sockets[0], m, 3, 0, 0));
  for (int i = 0; i < 3; ++i) say_data("it is", m[i].msg_len, texts[i]);
  pthread_join(t, 0);
  t = start(send_three_late, 0);
  say("recvmmsg, two", recvmmsg(sockets[0], m, 2, 0, &(struct timespec){5, 0}));
  say("recvmmsg, one", recvmmsg(sockets[0], m, 1, 0, 0));
  pthread_join(t, 0);
  t = start(interrupt_late, 0);
  say("recvmmsg, interrupted", recvmmsg(sockets[0], m, 2, 0, 0));
  pthread_join(t, 0);
  t = start(interrupt_late, 0);
  say("recvmmsg, one, interrupted", recvmmsg(sockets[0], m, 1, 0, 0));
  pthread_join(t, 0);
  setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){0, 20000}, sizeof(struct timeval));
  say("recvmmsg with a limit", recvmmsg(sockets[0], m, 3, MSG_WAITFORONE, 0));
  setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){0, 0}, sizeof(struct timeval));
  say("recvmmsg of no socket", recvmmsg(files[0], m, 1, 0, 0));
  say("recvmmsg, no memory", recvmmsg(sockets[0], (void *)8, 1, MSG_DONTWAIT, 0));
  while (send(sockets[1], "a", 1, MSG_DONTWAIT) == 1) {}
  for (int i = 0; i < 3; ++i) parts[i] = (struct iovec){"z", 1};
  t = start(receive_late, 0);
  say("sendmmsg waits", sendmmsg(sockets[1], m, 3, 0));
  pthread_join(t, 0);
  int ends[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  struct iovec whole = {texts[0], 8};
  struct msghdr message = {.msg_iov = &whole, .msg_iovlen = 1};
  t = start(send_halves_late, ends);
  say_data("recvmsg, MSG_WAITALL", recvmsg(ends[0], &message, MSG_WAITALL), texts[0]);
  pthread_join(t, 0);
  close(ends[0]), close(ends[1]);
}

int main(void) {
  waiter = pthread_self();
  sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, 0);
  char name[64];
  snprintf(name, sizeof name, "/tmp/weir-locks-%d", getpid());
  files[0] = open(name, O_RDWR | O_CREAT, 0600), files[1] = open(name, O_RDWR);
  unlink(name);
  assert(!socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets));
  commands();
  locks();
  children();
  system_v();
  batches();
}
