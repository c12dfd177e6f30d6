// SPDX-License-Identifier: Apache-2.0
// Tasks that wait, by an operation of the ring's own, for tasks of their own thread that are set aside, while as many go on as
// there are cores: for a std::future, or a connection. OMP_NUM_THREADS of them at a time.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>
#include <vector>

#include <omp.h>

namespace {

void check(bool well, const char* what) {
  if (!well) std::perror(what), std::exit(1);
}

// What one task of a pair brings, once a byte came through a pipe, and the other waits for.
struct Pair {
  explicit Pair(int number) {
    check(!pipe(ends), "pipe");
    address.sun_family = AF_UNIX;  // with a name that is no file's
    std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "weir-among-few-%d-%d", getpid(), number);
    listens = socket(AF_UNIX, SOCK_STREAM, 0);
    check(!bind(listens, where(), sizeof address) && !listen(listens, 1), "listen");
  }
  Pair(const Pair&) = delete;
  ~Pair() {
    for (int fd : {ends[0], ends[1], listens}) close(fd);
  }
  const sockaddr* where() const { return reinterpret_cast<const sockaddr*>(&address); }
  void bring(bool connects) {
    char byte;
    check(read(ends[0], &byte, 1) == 1, "read");
    if (!connects) return promise.set_value(1);
    int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    check(!connect(socket, where(), sizeof address), "connect");
    close(socket);
  }
  int await(bool connects) {
    if (!connects) return promise.get_future().get();
    int socket = accept(listens, nullptr, nullptr);
    check(socket >= 0, "accept");
    close(socket);
    return 1;
  }

  int ends[2] = {-1, -1}, listens = -1;
  sockaddr_un address{};
  std::promise<int> promise;
};

int file;

// From the first on that tries for a file's lock no more go on than there are cores.
void try_for_lock(int number) {
  struct flock one {};
  one.l_type = F_WRLCK;
  one.l_start = number;
  one.l_len = 1;
  check(!fcntl(file, F_SETLK, &one), "a lock");
}

int round(bool connects) {
  constexpr int longer_us = 150'000;  // than a task looks in its place for what somebody else brings
  const int count = omp_get_max_threads();
  std::vector<Pair*> pairs;
  for (int i = 0; i < count; ++i) pairs.push_back(new Pair(i));
  std::thread feeder([&] {
    usleep(longer_us);
    for (Pair* pair : pairs) check(write(pair->ends[1], "x", 1) == 1, "write");
  });
  int came = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; ++i) {
#pragma omp task shared(pairs, came)
    {
      Pair& pair = *pairs[i];
      try_for_lock(i);
#pragma omp task shared(came, pair)
      {
        int one = pair.await(connects);
#pragma omp atomic
        came += one;
      }
      pair.bring(connects);
    }
  }
  feeder.join();
  for (Pair* pair : pairs) delete pair;
  return count - came;
}

}  // namespace

int main() {
  char name[] = "/tmp/weir-among-few-XXXXXX";
  file = mkstemp(name);
  check(file >= 0, "a file");
  unlink(name);
  for (bool connects : {false, true}) std::printf("%s: %d missing\n", connects ? "connections" : "futures", round(connects));
}
