// SPDX-License-Identifier: Apache-2.0
// As many tasks wait as there are threads without weir: their waiting is hidden, and nothing is gained.
// auto: suspended + parked >= cores and gained_s < 0.05 and own_threads == cores and in_flight_s > 0.28 * cores
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <unistd.h>

#include "case.h"

int main() {
  tbb::parallel_for(0, tbb::info::default_concurrency(), [](int) { usleep(300'000); }, tbb::simple_partitioner());
  std::printf("well\n");
}
