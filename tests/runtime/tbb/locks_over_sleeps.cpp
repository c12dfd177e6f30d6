// SPDX-License-Identifier: Apache-2.0
// Calls with an end of their own, a sleep, a poll and a recv with a limit, made with one of oneTBB's locks held, which nobody sees:
// they come to block their threads too, since whoever begins in their place only comes to want the lock. Without one, they overlap.
// (What is not a sleep is 300 calls; of the sleeps that is to be told where one place of four is, too.)
// auto: fallbacks.get("lock_held", 0) >= 320 and suspended >= 150
// park: suspended == 0 and parked >= 1050
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "case.h"

namespace {

constexpr int calls = 150;

template <typename Mutex, typename Call>
void count(const char* which, Call call) {
  Mutex mutex;
  int counted = 0;
  const auto task = [&](int) {
    typename Mutex::scoped_lock lock(mutex);
    int before = counted;
    call();
    counted = before + 1;
  };
  tbb::parallel_for(0, calls, task, tbb::simple_partitioner());
  std::printf("%s: %d\n", which, counted);
}

// Answers each byte after a while.
class Peer {
 public:
  Peer() {
    timeval limit{5, 0};
    check(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), "a socket pair");
    check(!setsockopt(ends_[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), "a limit");
    thread_ = std::thread([this] {
      char byte;
      while (read(ends_[1], &byte, 1) == 1) {
        usleep(300);
        check(write(ends_[1], &byte, 1) == 1, "an answer");
      }
    });
  }
  ~Peer() {
    shutdown(ends_[0], SHUT_RDWR);
    thread_.join();
    close(ends_[0]);
    close(ends_[1]);
  }
  void ask() { check(send(ends_[0], "a", 1, 0) == 1, "send"); }
  void hear() {
    char byte = 0;
    check(recv(ends_[0], &byte, 1, 0) == 1 && byte == 'a', "recv");
  }
  void polled() {
    pollfd one{ends_[0], POLLIN, 0};
    check(poll(&one, 1, 1000) == 1, "poll");
  }

 private:
  int ends_[2];
  std::thread thread_;
};

}  // namespace

int main() {
  count<tbb::queuing_mutex>("queuing_mutex, sleeps", [] { usleep(300); });
  count<tbb::mutex>("mutex, sleeps", [] { usleep(300); });
  count<tbb::queuing_mutex>("queuing_mutex, other sleeps", [] { usleep(250); });
  count<tbb::mutex>("mutex, other sleeps", [] { usleep(250); });
  Peer peer;
  count<tbb::queuing_mutex>("queuing_mutex, recv", [&] { peer.ask(), peer.hear(); });
  count<tbb::queuing_mutex>("queuing_mutex, poll", [&] { peer.ask(), peer.polled(), peer.hear(); });
  std::atomic<int> slept{0};
  tbb::parallel_for(0, 2 * calls, [&](int) {
    usleep(2000);
    ++slept;
  });
  std::printf("no lock: %d\n", slept.load());
}
