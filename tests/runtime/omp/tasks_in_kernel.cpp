// SPDX-License-Identifier: Apache-2.0
// Tasks that wait for what the kernel tells only who waits in it, while others of their thread are set aside. Knows nothing of weir.
#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr unsigned ms = 1000;

int lock_by_fcntl(int fd, off_t at, bool take) {
  struct flock l {};
  l.l_type = take ? F_WRLCK : F_UNLCK;
  l.l_whence = SEEK_SET;
  l.l_start = at;
  l.l_len = 1;
  return fcntl(fd, F_SETLKW, &l);
}

int lock_by_lockf(int fd, off_t at, bool take) {
  lseek(fd, at, SEEK_SET);
  return lockf(fd, take ? F_LOCK : F_ULOCK, 1);
}

using Lock = int(int, off_t, bool);

// Each of two processes waits for what the other has: one is refused.
bool one_is_refused(Lock* lock) {
  char name[] = "/tmp/weir.in_kernel.XXXXXX";
  int fd = mkstemp(name), held = 0, refused[2] = {};
  if (fd < 0 || unlink(name)) std::abort();
  pid_t child = fork();
  if (!child) {
    lock(fd, 1, true);
    usleep(150 * ms);
    bool was = lock(fd, 0, true) && errno == EDEADLK;
    _exit(was);
  }
  lock(fd, 0, true);
  usleep(50 * ms);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 4; ++i) {
#pragma omp task
      usleep(500 * ms);
    }
#pragma omp task shared(refused, held)
    {
      usleep(200 * ms);
      refused[0] = lock(fd, 1, true) && errno == EDEADLK;
      if (refused[0]) lock(fd, 0, false);
      else held = 1;
    }
  }
  if (held) lock(fd, 0, false);
  int status = 0;
  waitpid(child, &status, 0);
  refused[1] = WEXITSTATUS(status);
  close(fd);
  return refused[0] + refused[1] == 1;
}

// A semaphore that is 0 again and again, never for long.
bool zero_is_seen() {
  int set = semget(IPC_PRIVATE, 1, 0600), seen = 0;
  auto change = [set](short by) {
    sembuf step = {0, by, 0};
    return semop(set, &step, 1);
  };
  change(1);
  pid_t child = fork();
  for (int i = 0; !child && i < 60; ++i) {
    usleep(20 * ms);
    change(-1);
    change(1);
  }
  if (!child) _exit(0);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 4; ++i) {
#pragma omp task
      usleep(300 * ms);
    }
#pragma omp task shared(seen)
    {
      usleep(30 * ms);
      seen = !change(0);
    }
  }
  waitpid(child, nullptr, 0);
  semctl(set, 0, IPC_RMID);
  return seen;
}

}  // namespace

int main() {
  bool fcntl_told = one_is_refused(lock_by_fcntl), lockf_told = one_is_refused(lock_by_lockf), zero = zero_is_seen();
  std::printf("fcntl %d lockf %d zero %d\n", fcntl_told, lockf_told, zero);
  return !(fcntl_told && lockf_told && zero);
}
