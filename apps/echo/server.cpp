// SPDX-License-Identifier: Apache-2.0
// Sends back what it receives: a task a connection, blocking calls, as one writes it. Knows nothing of weir.
#include <tbb/task_group.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "kit/arguments.h"
#include "kit/die.h"
#include "kit/loopback.h"
#include "kit/result.h"
#include "kit/runtimes.h"

namespace {

struct Traffic {
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> sum{0};  // of all bytes, each a number
};

int next_connection(int listener) {
  const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection < 0) kit::die("accept");
  kit::no_delay(connection);
  return connection;
}

void echo(int connection, Traffic& traffic) {
  unsigned char buffer[4096];
  std::uint64_t bytes = 0, sum = 0;
  ssize_t got;
  while ((got = recv(connection, buffer, sizeof buffer, 0)) > 0) {
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

void serve(kit::Runtime runtime, int listener, std::int64_t connections, Traffic& traffic) {
  if (runtime == kit::Runtime::openmp_tasks) {
#pragma omp parallel
#pragma omp single
    for (std::int64_t i = 0; i < connections; ++i) {
      const int connection = next_connection(listener);
#pragma omp task firstprivate(connection) shared(traffic)
      echo(connection, traffic);
    }
  } else if (runtime == kit::Runtime::tbb) {
    tbb::task_group group;
    for (std::int64_t i = 0; i < connections; ++i) {
      const int connection = next_connection(listener);
      group.run([connection, &traffic] { echo(connection, traffic); });
    }
    group.wait();
  } else {
    std::vector<std::thread> team;
    for (std::int64_t i = 0; i < connections; ++i)
      team.emplace_back(echo, next_connection(listener), std::ref(traffic));
    for (std::thread& thread : team) thread.join();
  }
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(argc, argv,
                           "[--port=0] [--connections=64] [--runtime=threads|openmp-tasks|tbb]\n"
                           "  Prints port=N when it listens, and ends after that many connections.");
  const auto port = static_cast<std::uint16_t>(arguments.number("port", 0));
  const std::int64_t connections = arguments.number("connections", 64);
  const kit::Runtime runtime = kit::runtime_of(arguments, "openmp-tasks");
  if (runtime != kit::Runtime::threads && runtime != kit::Runtime::openmp_tasks &&
      runtime != kit::Runtime::tbb) {
    arguments.fail("--runtime is threads, openmp-tasks or tbb");
  }
  arguments.finish();

  kit::allow_many_files();
  const kit::Listener listener = kit::listen_on(port);
  std::printf("port=%u\n", listener.port);
  std::fflush(stdout);
  Traffic traffic;
  const double began = kit::now();
  serve(runtime, listener.fd, connections, traffic);
  kit::print_result(traffic.sum, kit::now() - began, traffic.bytes);
  return 0;
}
