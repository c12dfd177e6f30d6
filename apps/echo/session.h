// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>

#include "kit/die.h"
#include "kit/loopback.h"
#include "kit/result.h"

namespace echo {

struct Traffic {
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> sum{0};  // of all bytes, each a number
};

inline int next_connection(int listener) {
  const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection < 0) kit::die("accept");
  kit::no_delay(connection);
  return connection;
}

// Sends back what comes until the peer closes. `receive` and `send` are libc's calls, or others that are called alike.
template <typename Receive, typename Send>
void serve(int connection, Traffic& traffic, Receive receive, Send send) {
  unsigned char buffer[4096];
  std::uint64_t bytes = 0, sum = 0;
  ssize_t got;
  while ((got = receive(connection, buffer, sizeof buffer, 0)) > 0) {
    for (ssize_t sent = 0; sent < got;) {
      const ssize_t n = send(connection, buffer + sent, static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
      if (n < 0) kit::die("send");
      sent += n;
    }
    for (ssize_t i = 0; i < got; ++i) sum += buffer[i];
    bytes += static_cast<std::uint64_t>(got);
  }
  if (got < 0) kit::die("recv");
  close(connection);
  traffic.bytes += bytes;
  traffic.sum += sum;
}

// Listens and says where; `serve_all(listener, traffic)` serves all connections; then the last line.
template <typename ServeAll>
void run(std::uint16_t port, ServeAll serve_all) {
  kit::allow_many_files();
  const kit::Listener listener = kit::listen_on(port);
  std::printf("port=%u\n", listener.port);
  std::fflush(stdout);
  Traffic traffic;
  const double began = kit::now();
  serve_all(listener.fd, traffic);
  kit::print_result(traffic.sum, kit::now() - began, traffic.bytes);
}

}  // namespace echo
