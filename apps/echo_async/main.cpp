// SPDX-License-Identifier: Apache-2.0
// apps/echo's server with a weir::async a connection, whose calls set it aside.
#include <weir/future.hpp>
#include <weir/weir.h>

#include <cstdio>
#include <vector>

#include "echo/session.h"
#include "kit/arguments.h"
#include "kit/loopback.h"
#include "kit/result.h"

int main(int argc, char** argv) {
  kit::Arguments arguments(argc, argv,
                           "[--port=0] [--connections=64]\n"
                           "  Prints port=N when it listens, and ends after that many connections.");
  const auto port = static_cast<std::uint16_t>(arguments.number("port", 0));
  const std::int64_t connections = arguments.number("connections", 64);
  arguments.finish();

  kit::allow_many_files();
  const kit::Listener listener = kit::listen_on(port);
  std::printf("port=%u\n", listener.port);
  std::fflush(stdout);
  echo::Traffic traffic;
  const double began = kit::now();
  std::vector<weir::future<void>> served;
  for (std::int64_t i = 0; i < connections; ++i) {
    served.push_back(weir::async([connection = echo::next_connection(listener.fd), &traffic] {
      echo::serve(connection, traffic, weir_recv, weir_send);
    }));
  }
  for (auto& one : served) one.get();
  kit::print_result(traffic.sum, kit::now() - began, traffic.bytes);
  return 0;
}
