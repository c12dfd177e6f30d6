// SPDX-License-Identifier: Apache-2.0
// A server of requests and its clients in one weir::io_arena: each request is received, answered after some computing and
// a wait, and sent back, in code that reads as if every call blocked. Thousands are under way on as many threads as there
// are cores.
#include <oneapi/tbb/task_group.h>
#include <sys/socket.h>
#include <unistd.h>
#include <weir/tbb.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <vector>

#include "kit/arguments.h"

namespace {

long collatz(long n) {
  long steps = 0;
  for (; n != 1; ++steps) n = n % 2 ? 3 * n + 1 : n / 2;
  return steps;
}

struct Message {
  long number;
};

bool serve_one(int socket, long wait_ms) {
  Message message;
  if (weir::recv(socket, &message, sizeof message) != sizeof message) return false;
  message.number = collatz(message.number);
  weir::sleep(wait_ms * 1'000'000);  // a database, a disk, another server
  return weir::send(socket, &message, sizeof message) == sizeof message;
}

long ask_one(int socket, long number) {
  Message message{number};
  if (weir::send(socket, &message, sizeof message) != sizeof message) return -1;
  if (weir::recv(socket, &message, sizeof message) != sizeof message) return -1;
  return message.number;
}

}  // namespace

int main(int count, char** words) {
  kit::Arguments arguments(count, words, "[--requests=400] [--wait-ms=100]");
  const long requests = arguments.number("requests", 400);
  const long wait_ms = arguments.number("wait-ms", 100);
  arguments.finish();
  weir::io_arena arena;
  std::atomic<long> sum{0}, lost{0};
  auto began = std::chrono::steady_clock::now();
  std::vector<std::array<int, 2>> sockets(requests);
  for (auto& ends : sockets)
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data())) return 1;
  arena.execute([&] {
    tbb::task_group group;
    for (long i = 0; i < requests; ++i) {
      group.run([&, i] { lost += !serve_one(sockets[i][0], wait_ms); });
      group.run([&, i] { sum += ask_one(sockets[i][1], i + 1); });
    }
    group.wait();
  });
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  weir::io_statistics io = arena.statistics();
  std::printf("%ld requests in %.3f s, %ld lost, %lld calls, at most %lld in flight\n", requests, took.count(),
              lost.load(), (long long)io.calls, (long long)io.peak_in_flight);
  std::printf("checksum=%016lx seconds=%.6f\n", sum.load(), took.count());
  return lost.load() != 0;
}
