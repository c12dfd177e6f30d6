// SPDX-License-Identifier: Apache-2.0
// Reads many small files that are not in the page cache, whole, one a work item. Knows nothing of weir.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "kit/arguments.h"
#include "kit/checksum.h"
#include "kit/cold_files.h"
#include "kit/die.h"
#include "kit/result.h"
#include "kit/runtimes.h"

namespace {

struct Tree {
  std::string root;
  std::int64_t files;
  std::size_t bytes;

  // A thousand files a folder.
  std::string folder(std::int64_t index) const { return root + "/" + std::to_string(index / 1000); }
  std::string path(std::int64_t index) const { return folder(index) + "/" + std::to_string(index); }
  std::uint64_t seed(std::int64_t index) const { return static_cast<std::uint64_t>(index); }
};

void generate(const Tree& tree) {
  if (mkdir(tree.root.c_str(), 0755) && errno != EEXIST) kit::die(tree.root);
  kit::Progress progress("generating", static_cast<std::uint64_t>(tree.files));
  for (std::int64_t i = 0; i < tree.files; ++i) {
    if (i % 1000 == 0 && mkdir(tree.folder(i).c_str(), 0755) && errno != EEXIST) kit::die(tree.folder(i));
    kit::generate_file(tree.path(i), tree.bytes, tree.seed(i));
    progress.tick();
  }
}

void make_cold(const Tree& tree) {
  for (std::int64_t i = 0; i < tree.files; ++i) {
    const int fd = open(tree.path(i).c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) kit::die(tree.path(i));
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
  }
}

void remove(const Tree& tree) {
  for (std::int64_t i = 0; i < tree.files; ++i) unlink(tree.path(i).c_str());
  for (std::int64_t i = 0; i < tree.files; i += 1000) rmdir(tree.folder(i).c_str());
  rmdir(tree.root.c_str());
}

std::uint64_t digest(const char* content, std::size_t bytes, std::int64_t index, long rounds) {
  std::uint64_t hash = 0;
  for (long i = 0; i < rounds; ++i) hash = kit::hash(content, bytes, hash);
  return kit::item(static_cast<std::uint64_t>(index), hash);
}

std::uint64_t read_file(const Tree& tree, std::int64_t index, long rounds) {
  const int fd = open(tree.path(index).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) kit::die(tree.path(index));
  const std::unique_ptr<char[]> content(new char[tree.bytes]);
  std::size_t done = 0;
  while (done < tree.bytes) {
    const ssize_t n = read(fd, content.get() + done, tree.bytes - done);
    if (n < 0) kit::die(tree.path(index));
    if (n == 0) kit::wrong(tree.path(index) + " is too short");
    done += static_cast<std::size_t>(n);
  }
  close(fd);
  return digest(content.get(), tree.bytes, index, rounds);
}

// The sum that the formula of the content gives, without a read.
std::uint64_t expected_sum(const Tree& tree, long rounds) {
  std::unique_ptr<char[]> content(new char[tree.bytes]);
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < tree.files; ++i) {
    kit::file_content(content.get(), tree.bytes, 0, tree.seed(i));
    sum += digest(content.get(), tree.bytes, i, rounds);
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(
      argc, argv,
      "[--dir=D] [--files=2000] [--bytes=10240] [--generate] [--remove] [--cold=advise|drop|no] "
      "[--compute=1] [--runtime=openmp] [--threads=N] [--verify]");
  Tree tree;
  tree.root = arguments.text("dir", "/var/tmp/microfiles");
  tree.files = arguments.number("files", 2000);
  tree.bytes = static_cast<std::size_t>(arguments.number("bytes", 10240));
  const bool only_generate = arguments.flag("generate"), remove_after = arguments.flag("remove");
  const bool verify = arguments.flag("verify");
  const std::string cold = arguments.text("cold", "advise");
  const long rounds = arguments.number("compute", 1);
  const kit::Runtime runtime = kit::runtime_of(arguments, "openmp");
  const auto threads = static_cast<unsigned>(arguments.number("threads", 0));
  if (tree.bytes == 0 || tree.bytes % 8) arguments.fail("--bytes is a multiple of 8");
  if (cold != "advise" && cold != "drop" && cold != "no") arguments.fail("--cold is advise, drop or no");
  arguments.finish();

  generate(tree);
  if (only_generate) return 0;
  if (cold == "advise") make_cold(tree);
  if (cold == "drop" && !kit::drop_page_cache()) kit::die("/proc/sys/vm/drop_caches");

  const double began = kit::now();
  const auto read_one = [&](std::int64_t i) { return read_file(tree, i, rounds); };
  const std::uint64_t sum = kit::sum_over(runtime, tree.files, read_one, threads);
  const double seconds = kit::now() - began;
  if (remove_after) remove(tree);
  if (verify && sum != expected_sum(tree, rounds)) kit::wrong("the checksum is not that of the formula");
  kit::print_result(sum, seconds, static_cast<std::uint64_t>(tree.files));
  return 0;
}
