// SPDX-License-Identifier: Apache-2.0
// apps/echo's server with a weir::async a connection, whose calls set it aside.
#include <weir/future.hpp>
#include <weir/weir.h>

#include <vector>

#include "echo/session.h"
#include "kit/arguments.h"

int main(int argc, char** argv) {
  kit::Arguments arguments(argc, argv,
                           "[--port=0] [--connections=64]\n"
                           "  Prints port=N when it listens, and ends after that many connections.");
  const auto port = static_cast<std::uint16_t>(arguments.number("port", 0));
  const std::int64_t connections = arguments.number("connections", 64);
  arguments.finish();

  echo::run(port, [&](int listener, echo::Traffic& traffic) {
    std::vector<weir::future<void>> served;
    for (std::int64_t i = 0; i < connections; ++i) {
      served.push_back(weir::async([connection = echo::next_connection(listener), &traffic] {
        echo::serve(connection, traffic, weir_recv, weir_send);
      }));
    }
    for (auto& one : served) one.get();
  });
  return 0;
}
