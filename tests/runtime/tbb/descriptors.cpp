// SPDX-License-Identifier: Apache-2.0
// Tasks that each make a few descriptors, and wait: far more are under way than without weir, more than the process may have. The limit
// is raised, as far as it may be; then those that wait give theirs back before others make some. With SELECTS defined, no higher than select
// has room for. A wait for a descriptor is weir's own, and no call of the program's.
// auto: suspended >= 400 and not any('libweir' in str(site['object']) for site in call_sites)
// suspend: suspended >= 400 and not any('libweir' in str(site['object']) for site in call_sites)
#include <dirent.h>
#include <fcntl.h>
#include <oneapi/tbb/parallel_for.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "case.h"

namespace {

std::atomic<int> wrong{0};

void rest() { usleep(3000); }

void hold(int fd) {
  if (fd < 0) ++wrong;
  rest();
  if (fd >= 0) close(fd);
}

void hold_two(int made, const int* ends) {
  if (made) ++wrong;
  rest();
  if (!made) close(ends[0]), close(ends[1]);
}

template <typename Stream>
void hold(Stream* stream, int (*end)(Stream*)) {
  if (!stream) ++wrong;
  rest();
  if (stream) end(stream);
}

void hold_temporary() {
  char name[] = "/tmp/weir-descriptors-XXXXXX";
  int fd = mkstemp(name);
  if (fd >= 0) unlink(name);
  hold(fd);
}

constexpr int kinds = 13;

void make(int kind) {
  int ends[2];
  switch (kind) {
    case 0: return hold(socket(AF_INET, SOCK_STREAM, 0));
    case 1: return hold_two(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), ends);
    case 2: return hold_two(pipe(ends), ends);
    case 3: return hold_two(pipe2(ends, O_CLOEXEC), ends);
    case 4: return hold(eventfd(0, 0));
    case 5: return hold(epoll_create1(0));
    case 6: return hold(timerfd_create(CLOCK_MONOTONIC, 0));
    case 7: return hold(memfd_create("a", 0));
    case 8: return hold_temporary();
    case 9: return hold(tmpfile(), fclose);
    case 10: return hold(popen("true", "r"), pclose);
    case 11: return hold(opendir("/"), closedir);
    default: return hold(dup(1));
  }
}

void loop(const char* which) {
  tbb::parallel_for(0, 250, [](int i) { make(i % kinds); }, tbb::simple_partitioner());
  std::printf("%s: %d wrong\n", which, wrong.load());
}

void limit(rlim_t now, rlim_t most) {
  rlimit files{now, most};
  check(!setrlimit(RLIMIT_NOFILE, &files), "a limit");
}

#ifdef SELECTS
void say_whether_low_enough() {
  fd_set none;
  FD_ZERO(&none);
  timeval at_once{};
  check(!select(0, &none, nullptr, nullptr, &at_once), "select");
  rlimit files{};
  check(!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur <= FD_SETSIZE, "numbers that are low enough");
}
#else
void say_whether_low_enough() {}
#endif

}  // namespace

int main() {
  limit(100, 2000);
  loop("that may be raised");
  say_whether_low_enough();
  limit(100, 100);
  loop("that may not");
}
