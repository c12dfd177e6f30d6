// SPDX-License-Identifier: Apache-2.0
// Asks an echo server over many connections at once and says how long answers take: each connection sends a
// message, waits for all of it to come back, compares, sends the next. One thread, epoll; a fixed number of
// messages.
#include <sys/epoll.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "kit/arguments.h"
#include "kit/checksum.h"
#include "kit/die.h"
#include "kit/loopback.h"
#include "kit/result.h"

namespace {

class Connection {
 public:
  Connection(int fd, std::uint64_t number, std::size_t bytes)
      : fd_(fd), random_(number), out_(bytes), in_(bytes) {}
  int fd() const { return fd_; }

  void ask() {
    for (unsigned char& byte : out_) sum_ += byte = static_cast<unsigned char>(random_.next());
    done_ = 0;
    asked_ = kit::now();
    if (send(fd_, out_.data(), out_.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(out_.size()))
      kit::die("send");
  }

  // Takes what has come; true when that completes the answer.
  bool take() {
    const ssize_t got = recv(fd_, in_.data() + done_, in_.size() - done_, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return false;
    if (got <= 0) kit::die(got < 0 ? "recv" : "the server hung up");
    done_ += static_cast<std::size_t>(got);
    if (done_ < in_.size()) return false;
    if (std::memcmp(in_.data(), out_.data(), in_.size()) != 0) kit::wrong("this is not what was sent");
    return true;
  }

  double seconds() const { return kit::now() - asked_; }
  std::uint64_t sum() const { return sum_; }
  std::int64_t answers = 0;

 private:
  int fd_;
  kit::Random random_;
  std::vector<unsigned char> out_, in_;
  std::size_t done_ = 0;
  std::uint64_t sum_ = 0;
  double asked_ = 0;
};

void print_percentiles(std::vector<float>& seconds) {
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&](double share) {
    return 1e6 * seconds[static_cast<std::size_t>(share * static_cast<double>(seconds.size() - 1))];
  };
  std::printf("p50_us=%.1f p90_us=%.1f p99_us=%.1f p999_us=%.1f max_us=%.1f\n", at(0.5), at(0.9), at(0.99),
              at(0.999), at(1.0));
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(argc, argv, "--port=N [--connections=64] [--messages=1000 of each] [--bytes=64]");
  const auto port = static_cast<std::uint16_t>(arguments.number("port", 0));
  const auto count = static_cast<std::size_t>(arguments.number("connections", 64));
  const std::int64_t messages = arguments.number("messages", 1000);
  const auto bytes = static_cast<std::size_t>(arguments.number("bytes", 64));
  if (port == 0 || count == 0 || messages == 0 || bytes == 0 || bytes > 4096) {
    arguments.fail("a port, and at least one connection, message and byte (at most 4096)");
  }
  arguments.finish();

  kit::allow_many_files();
  const int poll = epoll_create1(EPOLL_CLOEXEC);
  std::vector<Connection> connections;
  for (std::size_t i = 0; i < count; ++i) {
    connections.emplace_back(kit::connect_to(port), i, bytes);
    kit::no_delay(connections[i].fd());
    epoll_event event{EPOLLIN, {.u64 = i}};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, connections[i].fd(), &event)) kit::die("epoll_ctl");
  }

  std::vector<float> latencies;
  latencies.reserve(count * static_cast<std::size_t>(messages));
  const double began = kit::now();
  for (Connection& connection : connections) connection.ask();
  for (std::size_t open = count; open > 0;) {
    epoll_event ready[256];
    const int n = epoll_wait(poll, ready, 256, 30'000);
    if (n == 0) kit::wrong("no answer for 30 seconds");
    for (int i = 0; i < n; ++i) {
      Connection& connection = connections[ready[i].data.u64];
      if (!connection.take()) continue;
      latencies.push_back(static_cast<float>(connection.seconds()));
      if (++connection.answers < messages) {
        connection.ask();
      } else {
        close(connection.fd());
        --open;
      }
    }
  }
  const double seconds = kit::now() - began;
  std::uint64_t sum = 0;
  for (const Connection& connection : connections) sum += connection.sum();
  print_percentiles(latencies);
  kit::print_result(sum, seconds, latencies.size());
  return 0;
}
