// SPDX-License-Identifier: Apache-2.0
// Random reads of a cold file, in every runtime. Knows nothing of weir.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "kit/arguments.h"
#include "kit/checksum.h"
#include "kit/cold_files.h"
#include "kit/result.h"
#include "kit/runtimes.h"

namespace {

constexpr std::size_t alignment = 4096;
constexpr std::uint64_t content_seed = 7;

struct Plan {
  std::string file;
  int flags = O_RDONLY | O_CLOEXEC;
  bool opens = false;  // each read opens the file, and closes it
  int fd = -1;
  std::uint64_t blocks = 0;
  std::size_t block = 4096;
  std::uint64_t seed = 1;
  long compute = 1;
  bool whole = false;

  // Where read `index` starts: anywhere, or after the one before.
  std::uint64_t offset(std::int64_t index) const {
    auto number = static_cast<std::uint64_t>(index);
    return (whole ? number : kit::Random(seed * 0x10001 + number).below(blocks)) * block;
  }
  std::uint64_t digest(const void* bytes, std::int64_t index) const {
    std::uint64_t hash = 0;
    for (long i = 0; i < compute; ++i) hash = kit::hash(bytes, block, hash);
    return kit::item(static_cast<std::uint64_t>(index), hash);
  }
};

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
std::unique_ptr<void, Free> page_aligned(std::size_t bytes) {
  return std::unique_ptr<void, Free>(std::aligned_alloc(alignment, bytes));
}

// A function of its own, so that a report names it.
[[gnu::noinline]] std::uint64_t read_one(const Plan& plan, std::int64_t index) {
  auto memory = page_aligned(plan.block);
  std::uint64_t offset = plan.offset(index);
  int fd = plan.opens ? open(plan.file.c_str(), plan.flags) : plan.fd;
  if (fd < 0) kit::die(plan.file);
  ssize_t got = pread(fd, memory.get(), plan.block, static_cast<off_t>(offset));
  if (got < 0) kit::die("pread");
  if (plan.opens) close(fd);
  if (got != static_cast<ssize_t>(plan.block)) kit::wrong("a read inside the file came up short");
  return plan.digest(memory.get(), index);
}

// So that all of it is in the page cache.
void read_whole(int fd, off_t size) {
  constexpr std::size_t piece = 1 << 20;
  auto memory = page_aligned(piece);
  for (off_t at = 0; at < size; at += piece)
    if (pread(fd, memory.get(), piece, at) < 0) kit::die("pread");
}

// The sum that the content's formula gives, without a read.
std::uint64_t expected_sum(const Plan& plan, std::int64_t reads) {
  auto memory = page_aligned(plan.block);
  return kit::sum_over(kit::Runtime::serial, reads, [&](std::int64_t i) {
    kit::file_content(memory.get(), plan.block, plan.offset(i), content_seed);
    return plan.digest(memory.get(), i);
  });
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(
      argc, argv,
      "[--file=F] [--size=256M] [--generate] [--reads=N] [--mode=direct|buffered|hot|whole] "
      "[--open] [--block=4096] [--seed=S] [--compute=1] [--runtime=openmp] [--threads=N] [--verify] [--remove]");
  std::string mode = arguments.text("mode", "direct");
  auto size = static_cast<std::uint64_t>(arguments.number("size", 0));
  std::int64_t reads = arguments.number("reads", 10'000);
  bool generate = arguments.flag("generate");
  bool verify = arguments.flag("verify");
  bool remove = arguments.flag("remove");
  kit::Runtime runtime = kit::runtime_of(arguments, "openmp");
  auto threads = static_cast<unsigned>(arguments.number("threads", 0));
  Plan plan;
  plan.file = arguments.text("file", "/var/tmp/coldread.dat");
  plan.opens = arguments.flag("open");
  if (mode == "direct") plan.flags |= O_DIRECT;
  plan.block = static_cast<std::size_t>(arguments.number("block", 4096));
  plan.seed = static_cast<std::uint64_t>(arguments.number("seed", 1));
  plan.compute = arguments.number("compute", 1);
  plan.whole = mode == "whole";
  if (mode != "direct" && mode != "buffered" && mode != "hot" && mode != "whole") {
    arguments.fail("--mode is direct, buffered, hot or whole");
  }
  if (plan.block == 0 || plan.block % alignment) arguments.fail("--block is a multiple of 4096");
  arguments.finish();

  if (size > 0 || generate || access(plan.file.c_str(), R_OK) != 0) {
    kit::generate_file(plan.file, size > 0 ? size : 256 << 20, content_seed);
  }
  if (generate) return 0;
  plan.fd = open(plan.file.c_str(), plan.flags);
  struct stat about;
  if (plan.fd < 0 || fstat(plan.fd, &about)) kit::die(plan.file);
  plan.blocks = static_cast<std::uint64_t>(about.st_size) / plan.block;
  if (!plan.blocks) kit::wrong(plan.file + " is smaller than a block");
  if (plan.whole) reads = static_cast<std::int64_t>(plan.blocks);
  if (mode != "direct") kit::make_cold(plan.fd);
  if (mode == "buffered" || mode == "hot") posix_fadvise(plan.fd, 0, 0, POSIX_FADV_RANDOM);
  if (mode == "hot") read_whole(plan.fd, about.st_size);

  double began = kit::now();
  std::uint64_t sum =
      kit::sum_over(runtime, reads, [&](std::int64_t i) { return read_one(plan, i); }, threads);
  double seconds = kit::now() - began;
  if (remove) unlink(plan.file.c_str());
  if (verify && sum != expected_sum(plan, reads)) kit::wrong("the checksum is not that of the formula");
  kit::print_result(sum, seconds, static_cast<std::uint64_t>(reads));
  return 0;
}
