// SPDX-License-Identifier: Apache-2.0
// Random reads of a cold file, in every runtime. Knows nothing of weir.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "kit/arguments.h"
#include "kit/checksum.h"
#include "kit/result.h"
#include "kit/runtimes.h"

namespace {

constexpr std::size_t alignment = 4096;

struct Plan {
  int fd = -1;
  std::uint64_t blocks = 0;
  std::size_t block = 4096;
  std::uint64_t seed = 1;
  long compute = 1;
};

bool generate(const std::string& name, std::uint64_t bytes) {
  int fd = open(name.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (fd < 0) return false;
  std::vector<std::uint64_t> chunk(1 << 17);
  kit::Random random(7);
  for (std::uint64_t at = 0; at < bytes; at += chunk.size() * 8) {
    for (auto& word : chunk) word = random.next();
    std::size_t want = std::min<std::uint64_t>(bytes - at, chunk.size() * 8);
    if (write(fd, chunk.data(), want) != static_cast<ssize_t>(want)) return close(fd), false;
  }
  return fdatasync(fd) == 0 && close(fd) == 0;
}

std::uint64_t read_one(const Plan& plan, std::int64_t index) {
  std::uint64_t place = kit::Random(plan.seed * 0x10001 + static_cast<std::uint64_t>(index)).below(plan.blocks);
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, plan.block)) std::abort();
  ssize_t got = pread(plan.fd, memory, plan.block, static_cast<off_t>(place * plan.block));
  if (got != static_cast<ssize_t>(plan.block)) {
    std::fprintf(stderr, "read of block %llu: %s\n", static_cast<unsigned long long>(place),
                 got < 0 ? std::strerror(errno) : "short");
    std::exit(1);
  }
  std::uint64_t hash = 0;
  for (long i = 0; i < plan.compute; ++i) hash = kit::hash(memory, plan.block, hash);
  std::free(memory);
  return kit::item(static_cast<std::uint64_t>(index), hash);
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(argc, argv, "--file=F [--generate --size=256M] [--reads=N] [--mode=direct|buffered|hot] "
                                       "[--block=4096] [--seed=S] [--compute=1] [--runtime=openmp]");
  std::string file = arguments.text("file", "/var/tmp/coldread.dat");
  std::string mode = arguments.text("mode", "direct");
  std::uint64_t size = static_cast<std::uint64_t>(arguments.number("size", 256 << 20));
  std::int64_t reads = arguments.number("reads", 10'000);
  std::string runtime_name = arguments.text("runtime", "openmp");
  bool make = arguments.flag("generate");
  Plan plan;
  plan.block = static_cast<std::size_t>(arguments.number("block", 4096));
  plan.seed = static_cast<std::uint64_t>(arguments.number("seed", 1));
  plan.compute = arguments.number("compute", 1);
  kit::Runtime runtime;
  if (!kit::read_runtime(runtime_name, &runtime)) arguments.fail("--runtime is one of " + std::string(kit::runtime_names));
  if (mode != "direct" && mode != "buffered" && mode != "hot") arguments.fail("--mode is direct, buffered or hot");
  if (plan.block == 0 || plan.block % alignment) arguments.fail("--block is a multiple of 4096");
  arguments.finish();

  if (make) {
    if (!generate(file, size)) return std::perror(file.c_str()), 1;
    return 0;
  }
  plan.fd = open(file.c_str(), O_RDONLY | (mode == "direct" ? O_DIRECT : 0));
  struct stat about;
  if (plan.fd < 0 || fstat(plan.fd, &about)) return std::perror(file.c_str()), 1;
  plan.blocks = static_cast<std::uint64_t>(about.st_size) / plan.block;
  if (!plan.blocks) return std::fprintf(stderr, "%s: smaller than a block\n", file.c_str()), 1;
  if (mode != "direct") {
    posix_fadvise(plan.fd, 0, 0, POSIX_FADV_DONTNEED);
    posix_fadvise(plan.fd, 0, 0, POSIX_FADV_RANDOM);
  }
  if (mode == "hot") kit::sum_over(kit::Runtime::serial, reads, [&](std::int64_t i) { return read_one(plan, i); });

  double began = kit::now();
  std::uint64_t sum = kit::sum_over(runtime, reads, [&](std::int64_t i) { return read_one(plan, i); });
  kit::print_result(sum, kit::now() - began, static_cast<std::uint64_t>(reads));
  return 0;
}
