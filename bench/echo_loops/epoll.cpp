// SPDX-License-Identifier: Apache-2.0
// An echo server by hand: one thread, level-triggered epoll.
#include <sys/epoll.h>

#include <cstdio>

#include "kit/arguments.h"
#include "kit/die.h"
#include "kit/loopback.h"
#include "kit/result.h"

namespace {

struct Traffic {
  std::uint64_t bytes = 0, sum = 0;
};

void take_connections(int listener, int poll) {
  for (;;) {
    const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0) return;
    kit::no_delay(connection);
    epoll_event event{EPOLLIN, {.fd = connection}};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, connection, &event)) kit::die("epoll_ctl");
  }
}

// False when the client has closed. A closed-loop client never has more under way than the socket's buffer
// takes.
bool echo(int connection, Traffic& traffic) {
  unsigned char buffer[4096];
  const ssize_t got = recv(connection, buffer, sizeof buffer, 0);
  if (got < 0 && errno == EAGAIN) return true;
  if (got <= 0) {
    close(connection);
    return false;
  }
  if (send(connection, buffer, static_cast<std::size_t>(got), MSG_NOSIGNAL) != got) kit::die("send");
  for (ssize_t i = 0; i < got; ++i) traffic.sum += buffer[i];
  traffic.bytes += static_cast<std::uint64_t>(got);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(argc, argv, "[--connections=64]");
  std::int64_t left = arguments.number("connections", 64);
  arguments.finish();
  kit::allow_many_files();
  const kit::Listener listener = kit::listen_on(0, SOCK_NONBLOCK);
  const int poll = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{EPOLLIN, {.fd = listener.fd}};
  if (poll < 0 || epoll_ctl(poll, EPOLL_CTL_ADD, listener.fd, &event)) kit::die("epoll");
  std::printf("port=%u\n", listener.port);
  std::fflush(stdout);
  Traffic traffic;
  const double began = kit::now();
  while (left > 0) {
    epoll_event ready[256];
    const int n = epoll_wait(poll, ready, 256, -1);
    for (int i = 0; i < n; ++i) {
      if (ready[i].data.fd == listener.fd) {
        take_connections(listener.fd, poll);
      } else if (!echo(ready[i].data.fd, traffic)) {
        --left;
      }
    }
  }
  kit::print_result(traffic.sum, kit::now() - began, traffic.bytes);
  return 0;
}
