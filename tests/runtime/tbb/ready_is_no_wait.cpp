// SPDX-License-Identifier: Apache-2.0
// Tasks that sleep for a moment, all at once, and then compute: they stand ready for longer than they slept, until a thread has time
// for them. That is none of the waiting that was hidden.
// auto: suspended >= 90 and hidden_s < 5
#include <oneapi/tbb/parallel_for.h>
#include <unistd.h>

#include <chrono>

#include "case.h"

int main() {
  std::atomic<int> computed{0};
  const auto task = [&](int) {
    usleep(2000);
    auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
    while (std::chrono::steady_clock::now() < end) continue;
    ++computed;
  };
  tbb::parallel_for(0, 100, task, tbb::simple_partitioner());
  std::printf("%d\n", computed.load());
}
