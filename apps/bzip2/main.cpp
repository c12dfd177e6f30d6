// SPDX-License-Identifier: Apache-2.0
// Compresses a tree of files, each by one thread, or one file, block by block. The results are bzip2 files.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "kit/arguments.h"
#include "kit/checksum.h"
#include "kit/folder.h"
#include "kit/result.h"
#include "kit/team.h"
#include "stream.h"
#include "tree.h"

namespace {

struct Plan {
  std::string input, output;
  int level;
  bool decompress;
};

class File {
 public:
  File(const std::string& path, int flags) : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (fd_ < 0) fail();
  }
  ~File() { ::close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::size_t size() const {
    struct stat status{};
    if (::fstat(fd_, &status) != 0) fail();
    return static_cast<std::size_t>(status.st_size);
  }

  // The `bytes` at `offset`, or what there is of them.
  std::string part(std::size_t offset, std::size_t bytes) const {
    std::string data(bytes, '\0');
    std::size_t filled = 0;
    while (filled < bytes) {
      const ssize_t got =
          ::pread(fd_, data.data() + filled, bytes - filled, static_cast<off_t>(offset + filled));
      if (got < 0) fail();
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
    }
    data.resize(filled);
    return data;
  }

  void append(std::span<const char> data) const {
    while (!data.empty()) {
      const ssize_t put = ::write(fd_, data.data(), data.size());
      if (put < 0) fail();
      data = data.subspan(static_cast<std::size_t>(put));
    }
  }

 private:
  [[noreturn]] void fail() const { throw std::system_error(errno, std::generic_category(), path_); }

  std::string path_;
  int fd_;
};

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::system_error(errno, std::generic_category(), path);
  std::string data(static_cast<std::size_t>(std::filesystem::file_size(path)), '\0');
  file.read(data.data(), static_cast<std::streamsize>(data.size()));
  data.resize(static_cast<std::size_t>(file.gcount()));
  return data;
}

std::string result_path(const Plan& plan, const std::string& name) {
  const bool packed = name.ends_with(".bz2");
  if (!plan.decompress) return plan.output + "/" + name + ".bz2";
  return plan.output + "/" + (packed ? name.substr(0, name.size() - 4) : name + ".out");
}

std::uint64_t treat_tree(const kit::Team& team, const Plan& plan, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    std::filesystem::create_directories(std::filesystem::path(result_path(plan, name)).parent_path());
  kit::Progress progress("bzip2: files", names.size());
  return kit::sum_of(team, static_cast<std::int64_t>(names.size()), [&](std::int64_t i) {
    return kit::or_end([&] {
      const std::string& name = names[static_cast<std::size_t>(i)];
      const std::string data = read_whole(plan.input + "/" + name);
      const std::string result =
          plan.decompress ? bzip2::decompress(data) : bzip2::compress(data, plan.level);
      File(result_path(plan, name), O_WRONLY | O_CREAT | O_TRUNC).append(result);
      progress.tick();
      return kit::hash(result.data(), result.size(), static_cast<std::uint64_t>(i));
    });
  });
}

// Each block becomes a stream of its own: the size of bzip2's own blocks, so that nothing is lost by it.
std::uint64_t compress_file(const kit::Team& team, const Plan& plan, std::int64_t& items) {
  const File file(plan.input, O_RDONLY);
  const std::size_t block = static_cast<std::size_t>(plan.level) * 100'000, bytes = file.size();
  std::vector<std::string> streams(std::max<std::size_t>(1, (bytes + block - 1) / block));
  items = static_cast<std::int64_t>(streams.size());
  kit::Progress progress("bzip2: blocks", streams.size());
  const std::uint64_t sum = kit::sum_of(team, items, [&](std::int64_t i) {
    return kit::or_end([&] {
      const auto at = static_cast<std::size_t>(i);
      const std::string data = file.part(at * block, std::min(block, bytes - at * block));
      streams[at] = bzip2::compress(data, plan.level);
      progress.tick();
      return kit::hash(streams[at].data(), streams[at].size(), at);
    });
  });
  const File out(plan.output, O_WRONLY | O_CREAT | O_TRUNC);
  for (const std::string& stream : streams) out.append(stream);
  return sum;
}

// A file's streams can't be found without reading them one after the other.
std::uint64_t decompress_file(const Plan& plan) {
  const std::string result = bzip2::decompress(read_whole(plan.input));
  File(plan.output, O_WRONLY | O_CREAT | O_TRUNC).append(result);
  return kit::hash(result.data(), result.size());
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(argc, argv,
                           "--input=FILE|FOLDER [--output=FILE|FOLDER] [--level=9] [--decompress] "
                           "[--generate [--files=N] --size=BYTES "
                           "--seed=S] [--runtime=openmp] [--threads=N]");
  Plan plan;
  plan.input = arguments.text("input", "bzip2.in");
  plan.decompress = arguments.flag("decompress");
  plan.output = arguments.text("output", plan.input + (plan.decompress ? ".out" : ".bz2"));
  plan.level = static_cast<int>(arguments.number("level", 9));
  const bool make = arguments.flag("generate");
  const auto files = arguments.number("files", 0);
  const auto size = arguments.number("size", 1 << 20);
  const auto seed = arguments.number("seed", 1);
  const kit::Team team = kit::team_of(arguments, "openmp");
  arguments.finish();
  if (plan.level < 1 || plan.level > 9) arguments.fail("--level is 1 to 9");
  return kit::or_end([&] {
    const auto seeded = static_cast<std::uint64_t>(seed);
    if (make && files == 0) {
      File(plan.input, O_WRONLY | O_CREAT | O_TRUNC)
          .append(bzip2::words(static_cast<std::size_t>(size), seeded));
      return 0;
    }
    if (make) {
      bzip2::generate_tree(plan.input, static_cast<std::size_t>(files), static_cast<std::size_t>(size),
                           seeded);
      return 0;
    }
    const double began = kit::now();
    std::int64_t items = 1;
    std::uint64_t sum = 0;
    if (std::filesystem::is_directory(plan.input)) {
      const auto names = kit::files_below(plan.input);
      items = static_cast<std::int64_t>(names.size());
      sum = treat_tree(team, plan, names);
    } else {
      sum = plan.decompress ? decompress_file(plan) : compress_file(team, plan, items);
    }
    kit::print_result(sum, kit::now() - began, static_cast<std::uint64_t>(items));
    return 0;
  });
}
