// SPDX-License-Identifier: Apache-2.0
// Ten times as many tasks wait as there are threads without weir, which would take a second.
// auto: gained_s + wall_s > 0.9 and gained_s + wall_s < 4 and own_threads == cores
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <unistd.h>

#include "case.h"

int main() {
  tbb::parallel_for(0, 10 * tbb::info::default_concurrency(), [](int) { usleep(100'000); }, tbb::simple_partitioner());
  std::printf("well\n");
}
