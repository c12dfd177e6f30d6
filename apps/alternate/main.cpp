// SPDX-License-Identifier: Apache-2.0
// A loop that waits for the disk and a loop that computes, in turn: no fixed number of threads suits both.
// Knows nothing of weir.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "kit/arguments.h"
#include "kit/checksum.h"
#include "kit/cold_files.h"
#include "kit/die.h"
#include "kit/result.h"
#include "kit/runtimes.h"

namespace {

constexpr std::uint64_t content_seed = 7;
constexpr std::size_t block = 4096;
constexpr std::size_t table_words = 1 << 16;

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

std::uint64_t read_one(int fd, std::uint64_t blocks, std::uint64_t number) {
  const std::unique_ptr<void, Free> memory(std::aligned_alloc(block, block));
  const std::uint64_t offset = kit::Random(number).below(blocks) * block;
  if (pread(fd, memory.get(), block, static_cast<off_t>(offset)) != static_cast<ssize_t>(block))
    kit::die("pread");
  return kit::item(number, kit::hash(memory.get(), block));
}

// One pass over a table of this item's own, which fits a core's second-level cache: the more threads share a
// core, the more they evict each other's.
std::uint64_t compute_one(std::uint64_t number, long passes) {
  std::vector<std::uint64_t> table(table_words, number);
  for (long pass = 0; pass < passes; ++pass) {
    std::uint64_t carry = static_cast<std::uint64_t>(pass);
    for (std::uint64_t& word : table) word = carry = word * 0xbf58476d1ce4e5b9ull + (carry >> 7);
  }
  return kit::item(number, kit::hash(table.data(), table_words * 8));
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(argc, argv,
                           "[--file=F] [--size=256M] [--rounds=10] [--reads=2000] [--items=64] [--passes=20] "
                           "[--runtime=openmp] [--threads=N] [--remove]");
  const std::string file = arguments.text("file", "/var/tmp/alternate.dat");
  const auto size = static_cast<std::uint64_t>(arguments.number("size", 256 << 20));
  const long rounds = arguments.number("rounds", 10), passes = arguments.number("passes", 20);
  const std::int64_t reads = arguments.number("reads", 2000), items = arguments.number("items", 64);
  const bool remove = arguments.flag("remove");
  const kit::Runtime runtime = kit::runtime_of(arguments, "openmp");
  const auto threads = static_cast<unsigned>(arguments.number("threads", 0));
  if (size < block) arguments.fail("--size is at least 4096");
  arguments.finish();

  kit::generate_file(file, size, content_seed);
  const int fd = open(file.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
  if (fd < 0) kit::die(file);
  double reading = 0, computing = 0;
  std::uint64_t sum = 0;
  for (long round = 0; round < rounds; ++round) {
    const double began = kit::now();
    const auto first = static_cast<std::uint64_t>(round) << 32;
    const auto read_number = [&](std::int64_t i) {
      return read_one(fd, size / block, first + static_cast<std::uint64_t>(i));
    };
    sum += kit::sum_over(runtime, reads, read_number, threads);
    const double between = kit::now();
    const auto compute_number = [&](std::int64_t i) {
      return compute_one(first + static_cast<std::uint64_t>(i), passes);
    };
    sum += kit::sum_over(runtime, items, compute_number, threads);
    reading += between - began;
    computing += kit::now() - between;
  }
  close(fd);
  if (remove) unlink(file.c_str());
  std::printf("reading_seconds=%.4f computing_seconds=%.4f\n", reading, computing);
  kit::print_result(sum, reading + computing, static_cast<std::uint64_t>(rounds * (reads + items)));
  return 0;
}
