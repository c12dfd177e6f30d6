// SPDX-License-Identifier: Apache-2.0
// Sends back what it receives: a task a connection, blocking calls, as one writes it. Knows nothing of weir.
#include <tbb/task_group.h>

#include <thread>
#include <vector>

#include "kit/arguments.h"
#include "kit/runtimes.h"
#include "session.h"

namespace {

void answer(int connection, echo::Traffic& traffic) { echo::serve(connection, traffic, recv, send); }

void serve(kit::Runtime runtime, int listener, std::int64_t connections, echo::Traffic& traffic) {
  if (runtime == kit::Runtime::openmp_tasks) {
#pragma omp parallel
#pragma omp single
    for (std::int64_t i = 0; i < connections; ++i) {
      const int connection = echo::next_connection(listener);
#pragma omp task firstprivate(connection) shared(traffic)
      answer(connection, traffic);
    }
  } else if (runtime == kit::Runtime::tbb) {
    tbb::task_group group;
    for (std::int64_t i = 0; i < connections; ++i) {
      const int connection = echo::next_connection(listener);
      group.run([connection, &traffic] { answer(connection, traffic); });
    }
    group.wait();
  } else {
    std::vector<std::thread> team;
    for (std::int64_t i = 0; i < connections; ++i)
      team.emplace_back(answer, echo::next_connection(listener), std::ref(traffic));
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

  echo::run(port, [&](int listener, echo::Traffic& traffic) { serve(runtime, listener, connections, traffic); });
  return 0;
}
