// SPDX-License-Identifier: Apache-2.0
// Tasks connect to a small server, whose queue is short and who serves one after the other. Who finds the queue full tries again a
// second later: that may happen to a few, which is how it is noticed, but not to all.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "weir/future.hpp"
#include "weir/operation.h"
#include "weir/weir.h"

namespace {

constexpr int clients = 120, most_late = clients / 3;

void check(bool holds) {
  if (!holds) std::abort();
}

void serve(int listener) {
  for (int i = 0; i < clients; ++i) {
    int fd = accept(listener, nullptr, nullptr), asked = 0;
    check(fd >= 0 && recv(fd, &asked, sizeof asked, MSG_WAITALL) == sizeof asked);
    asked *= 2;
    check(send(fd, &asked, sizeof asked, 0) == sizeof asked);
    close(fd);
  }
}

// Half of them by an operation.
int connected(int fd, const sockaddr_in& where, bool by_operation) {
  auto* peer = reinterpret_cast<const sockaddr*>(&where);
  if (!by_operation) return weir_connect(fd, peer, sizeof where);
  weir_operation* operation;
  check(!weir_start_connect(&operation, fd, peer, sizeof where));
  return static_cast<int>(weir_wait(operation));
}

}  // namespace

int main() {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof where;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  auto* at = reinterpret_cast<sockaddr*>(&where);
  check(!bind(listener, at, length) && !listen(listener, 5) && !getsockname(listener, at, &length));
  std::thread server(serve, listener);
  std::atomic<int> late{0};
  std::vector<weir::future<int>> told;
  for (int i = 0; i < clients; ++i)
    told.push_back(weir::async(weir::launch::async, [&, i] {
      int fd = socket(AF_INET, SOCK_STREAM, 0), answer = 0;
      auto began = std::chrono::steady_clock::now();
      check(connected(fd, where, i % 2) == 0);
      if (std::chrono::steady_clock::now() - began > std::chrono::milliseconds(900)) ++late;
      check(weir_send(fd, &i, sizeof i, 0) == sizeof i && weir_recv(fd, &answer, sizeof answer, MSG_WAITALL) == sizeof answer);
      close(fd);
      return answer;
    }));
  int sum = 0;
  for (auto& one : told) sum += one.get();
  server.join();
  check(sum == clients * (clients - 1));
  std::printf("%s: %d of %d found the queue full\n", late <= most_late ? "well" : "wrong", late.load(), clients);
}
