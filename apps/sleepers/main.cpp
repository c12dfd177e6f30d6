// SPDX-License-Identifier: Apache-2.0
// Tasks that sleep, in every runtime. Knows nothing of weir.
#include <time.h>

#include <cerrno>

#include "kit/arguments.h"
#include "kit/checksum.h"
#include "kit/result.h"
#include "kit/runtimes.h"

namespace {

std::uint64_t fib(long n) { return n < 2 ? static_cast<std::uint64_t>(n) : fib(n - 1) + fib(n - 2); }

std::uint64_t sleep_then_compute(std::int64_t index, long ms, long n) {
  timespec left{ms / 1000, ms % 1000 * 1'000'000};
  while (nanosleep(&left, &left) && errno == EINTR) {
  }
  return kit::item(static_cast<std::uint64_t>(index), fib(n));
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(argc, argv,
                           "[--tasks=400] [--ms=50] [--fib=10] [--runtime=openmp-tasks] [--threads=N]");
  std::int64_t tasks = arguments.number("tasks", 400);
  long ms = arguments.number("ms", 50);
  long n = arguments.number("fib", 10);
  kit::Runtime runtime = kit::runtime_of(arguments, "openmp-tasks");
  auto threads = static_cast<unsigned>(arguments.number("threads", 0));
  arguments.finish();

  double began = kit::now();
  std::uint64_t sum = kit::sum_over<false>(
      runtime, tasks, [&](std::int64_t i) { return sleep_then_compute(i, ms, n); }, threads);
  kit::print_result(sum, kit::now() - began, static_cast<std::uint64_t>(tasks));
  return 0;
}
