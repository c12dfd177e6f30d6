// SPDX-License-Identifier: Apache-2.0
// Counts the lines that hold a string, in all files below a folder. Knows nothing of weir.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "kit/arguments.h"
#include "kit/checksum.h"
#include "kit/die.h"
#include "kit/result.h"
#include "kit/runtimes.h"
#include "search/needle.h"
#include "search/walk.h"

namespace {

struct Free {
  void operator()(char* memory) const { std::free(memory); }
};
struct Content {
  std::unique_ptr<char, Free> bytes;
  std::size_t size;
};

Content read_whole(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (fd < 0 || fstat(fd, &status)) kit::die(path);
  const auto room = static_cast<std::size_t>(status.st_size);
  Content content{std::unique_ptr<char, Free>(static_cast<char*>(std::malloc(room + 1))), 0};
  while (content.size < room) {
    const ssize_t n = pread(fd, content.bytes.get() + content.size, room - content.size,
                            static_cast<off_t>(content.size));
    if (n < 0) kit::die(path);
    if (n == 0) break;  // it has become shorter meanwhile
    content.size += static_cast<std::size_t>(n);
  }
  close(fd);
  return content;
}

std::uint64_t matching_lines(const Content& content, const Needle& needle) {
  const char* at = content.bytes.get();
  const char* const end = at + content.size;
  std::uint64_t lines = 0;
  while (const char* found = needle.find(at, end)) {
    ++lines;
    const void* line_end = std::memchr(found, '\n', static_cast<std::size_t>(end - found));
    if (line_end == nullptr) break;
    at = static_cast<const char*>(line_end) + 1;
  }
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(argc, argv,
                           "--dir=D --string=S [--cold] [--runtime=openmp-tasks] [--threads=N]\n"
                           "  [--generate --files=N --size=BYTES of each]");
  const std::string dir = arguments.text("dir", "."), text = arguments.text("string", "needle");
  const bool generate = arguments.flag("generate"), cold = arguments.flag("cold");
  const std::int64_t count = arguments.number("files", 1000);
  const auto bytes = static_cast<std::size_t>(arguments.number("size", 10000));
  const kit::Runtime runtime = kit::runtime_of(arguments, "openmp-tasks");
  const auto threads = static_cast<unsigned>(arguments.number("threads", 0));
  if (text.empty() || text.find('\n') != std::string::npos)
    arguments.fail("--string is part of one line");
  arguments.finish();

  if (generate) return generate_sources(dir, count, bytes, text), 0;
  if (cold) make_cold(files_below(dir, kit::Runtime::serial, 0));

  const Needle needle(text);
  const double began = kit::now();
  std::atomic<std::uint64_t> files{0}, lines{0}, hits{0}, sum{0};
  for_each_file(dir, runtime, threads, [&](const std::string& path) {
    ++files;
    const std::uint64_t here = matching_lines(read_whole(path), needle);
    if (here == 0) return;
    lines += here;
    ++hits;
    sum += kit::hash(path.data() + dir.size(), path.size() - dir.size(), here);
  });
  const double seconds = kit::now() - began;
  std::printf("lines=%llu files=%llu\n", static_cast<unsigned long long>(lines),
              static_cast<unsigned long long>(hits));
  kit::print_result(sum, seconds, files);
  return 0;
}
