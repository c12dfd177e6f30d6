// SPDX-License-Identifier: Apache-2.0
// Tasks that each ask a slow server over loopback and compute a little with the answer. Knows nothing of
// weir.
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "kit/arguments.h"
#include "kit/checksum.h"
#include "kit/die.h"
#include "kit/loopback.h"
#include "kit/result.h"
#include "kit/runtimes.h"
#include "slowsockets/server.h"

namespace {

std::uint64_t fib(long n) { return n < 2 ? static_cast<std::uint64_t>(n) : fib(n - 1) + fib(n - 2); }

std::uint64_t ask(std::uint16_t port, std::uint64_t key, std::uint64_t delay_us) {
  const int fd = kit::connect_to(port);
  const Request request{key, delay_us};
  if (send(fd, &request, sizeof request, MSG_NOSIGNAL) != sizeof request) kit::die("send");
  Answer answer;
  std::size_t done = 0;
  while (done < sizeof answer) {
    const ssize_t n = recv(fd, reinterpret_cast<char*>(&answer) + done, sizeof answer - done, 0);
    if (n < 0) kit::die("recv");
    if (n == 0) kit::wrong("the server hung up before its answer was whole");
    done += static_cast<std::size_t>(n);
  }
  close(fd);
  const Answer expected = answer_to(key);
  if (std::memcmp(&answer, &expected, sizeof answer) != 0)
    kit::wrong("this is the answer to another question");
  return kit::hash(&answer, sizeof answer);
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(argc, argv,
                           "[--requests=400] [--ms=50] [--fib=20] [--runtime=openmp-tasks] [--threads=N]");
  const std::int64_t requests = arguments.number("requests", 400);
  const auto delay_us = static_cast<std::uint64_t>(arguments.number("ms", 50)) * 1000;
  const long n = arguments.number("fib", 20);
  const kit::Runtime runtime = kit::runtime_of(arguments, "openmp-tasks");
  const auto threads = static_cast<unsigned>(arguments.number("threads", 0));
  arguments.finish();

  kit::allow_many_files();  // each request under way is one, here and in the server
  const Server server = start_server();
  const double began = kit::now();
  const auto request = [&](std::int64_t i) {
    const auto key = static_cast<std::uint64_t>(i);
    return kit::item(key, ask(server.port, key, delay_us) + fib(n));
  };
  const std::uint64_t sum = kit::sum_over<false>(runtime, requests, request, threads);
  const double seconds = kit::now() - began;
  stop_server(server);
  kit::print_result(sum, seconds, static_cast<std::uint64_t>(requests));
  return 0;
}
