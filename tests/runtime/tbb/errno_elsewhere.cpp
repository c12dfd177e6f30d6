// SPDX-License-Identifier: Apache-2.0
// Calls that fail while the threads they were made on have work enough, sleep, or compute for long: each task finds its own
// error where its code looks for it.
// suspend: suspended >= 300
// auto: suspended >= 300
// park: parked >= 300 and suspended == 0
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "case.h"

namespace {

std::atomic<int> wrong{0};
std::atomic<long> sum{0};

void compute_ms(double ms) {
  using namespace std::chrono;
  auto end = steady_clock::now() + duration<double, std::milli>(ms);
  long x = 0;
  while (steady_clock::now() < end) x = x * 31 + 1;
  sum += x;
}

struct Pair {
  int ends[2];
  explicit Pair(int limit_us) {
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    timeval limit{0, limit_us};
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  ~Pair() {
    close(ends[0]);
    if (ends[1] >= 0) close(ends[1]);
  }
};

// Closes sockets a little later, with bytes unread: who reads from the other end is told of a reset.
class Closer {
 public:
  void close_later(int fd) {
    std::lock_guard<std::mutex> lock(mutex_);
    fds_.push_back(fd);
  }
  ~Closer() {
    over_ = true;
    thread_.join();
  }

 private:
  void run() {
    while (!over_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      std::vector<int> fds;
      {
        std::lock_guard<std::mutex> lock(mutex_);
        fds.swap(fds_);
      }
      for (int fd : fds) close(fd);
    }
  }
  std::mutex mutex_;
  std::vector<int> fds_;
  std::atomic<bool> over_{false};
  std::thread thread_{[this] { run(); }};
};

void fails(int i, Closer& closer, int limit_us) {
  bool reset = i % 3 == 0;
  Pair pair(reset ? 10'000'000 : limit_us);
  char byte = 0;
  if (reset) {
    if (write(pair.ends[0], &byte, 1) != 1) ++wrong;
    closer.close_later(pair.ends[1]);
    pair.ends[1] = -1;
  }
  Kept kept;
  ssize_t got = recv(pair.ends[0], &byte, 1, 0);
  if (got != -1 || kept.error() != (reset ? ECONNRESET : EAGAIN)) ++wrong;
}

}  // namespace

int main() {
  Closer closer;
  tbb::parallel_for(0, 200, [&](int i) {
    fails(i, closer, 1000 + i % 7 * 500);
    compute_ms(1);
  });
  // Few tasks, long pauses: whoever is not needed goes to sleep.
  for (int round = 0; round < 10; ++round) {
    tbb::task_arena arena(2);
    arena.execute([&] {
      tbb::task_group tasks;
      for (int i = 0; i < 10; ++i) tasks.run([&, i] { fails(i, closer, 500 + i * 2000); });
      tasks.wait();
    });
  }
  // One that computes for long where another one's call was made: the last ones of a group are begun first.
  tbb::task_group tasks;
  for (int i = 0; i < 8; ++i)
    tasks.run([&, i] {
      if (i != 5) return fails(i, closer, 100'000);
      compute_ms(600);
    });
  tasks.wait();
  std::printf("%d of 307 wrong\n", wrong.load());
}
