// SPDX-License-Identifier: Apache-2.0
// Tasks that only compute: what weir must not slow down. Knows nothing of weir.
#include <algorithm>

#include "compute/task_kernels.h"
#include "kit/arguments.h"
#include "kit/checksum.h"
#include "kit/die.h"
#include "kit/result.h"
#include "kit/runtimes.h"

namespace {

std::uint64_t sort_numbers(Tasking tasking, long count, long cutoff, double* began) {
  std::vector<std::uint64_t> values(static_cast<std::size_t>(count));
  kit::Random random(3);
  std::uint64_t before = 0, after = 0;
  for (std::uint64_t& value : values) before += kit::mix(value = random.next());
  *began = kit::now();
  sort(tasking, values, cutoff);
  for (std::uint64_t value : values) after += kit::mix(value);
  if (before != after || !std::is_sorted(values.begin(), values.end())) kit::wrong("not sorted");
  return kit::hash(values.data(), values.size() * sizeof(std::uint64_t));
}

// Published counts of solutions, for 1 to 15 queens.
constexpr std::uint64_t known_queens[] = {1,   0,   0,    2,     10,    4,      40,     92,
                                          352, 724, 2680, 14200, 73712, 365596, 2279184};

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(argc, argv,
                           "--kernel=fib|nqueens|sort|align|steps [--size=N] [--cutoff=N] [--length=N] "
                           "[--runtime=serial|openmp-tasks|tbb] [--threads=N]");
  const std::string kernel = arguments.text("kernel", "fib");
  const kit::Runtime runtime = kit::runtime_of(arguments, "openmp-tasks");
  const auto threads = static_cast<unsigned>(arguments.number("threads", 0));
  const struct {
    const char* name;
    long size, cutoff;
  } kernels[] = {{"fib", 42, 16}, {"nqueens", 14, 4}, {"sort", 8'000'000, 4096}, {"align", 80, 0}, {"steps", 100'000, 8}};
  long size = 0, cutoff = 0;
  for (const auto& k : kernels) {
    if (kernel != k.name) continue;
    size = arguments.number("size", k.size);
    cutoff = arguments.number("cutoff", k.cutoff);
  }
  const long length = arguments.number("length", 400);
  if (size == 0) arguments.fail("--kernel is fib, nqueens, sort, align or steps, of a --size");
  if (kernel == "nqueens" && size > 15) arguments.fail("--size=1 ... 15 for nqueens");
  if (runtime != kit::Runtime::serial && runtime != kit::Runtime::openmp_tasks &&
      runtime != kit::Runtime::tbb) {
    arguments.fail("--runtime is serial, openmp-tasks or tbb");
  }
  arguments.finish();

  const Tasking tasking = runtime == kit::Runtime::serial         ? Tasking::serial
                          : runtime == kit::Runtime::openmp_tasks ? Tasking::openmp
                                                                  : Tasking::tbb;
  if (threads > 0) omp_set_num_threads(static_cast<int>(threads));
  double began = kit::now();
  std::uint64_t sum = 0;
  kit::in_arena(tasking == Tasking::tbb ? threads : 0, [&] {
    if (kernel == "fib") sum = fib(tasking, size, cutoff);
    if (kernel == "nqueens") sum = queens(tasking, size, cutoff);
    if (kernel == "sort") sum = sort_numbers(tasking, size, std::max(cutoff, 1L), &began);
    if (kernel == "align") sum = align_pairs(tasking, size, length);
    if (kernel == "steps") sum = steps(tasking, size, std::max(length, 1L), std::max(cutoff, 1L));
  });
  const double seconds = kit::now() - began;
  if (kernel == "nqueens" && sum != known_queens[size - 1]) kit::wrong("not the known number of solutions");
  kit::print_result(sum, seconds, static_cast<std::uint64_t>(size));
  return 0;
}
