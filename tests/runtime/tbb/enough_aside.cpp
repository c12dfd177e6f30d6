// SPDX-License-Identifier: Apache-2.0
// Tasks that make a file, for which a thread can only block, and read another one past the cache: where stand-ins are there and
// many tasks wait already, the next ones block too. Every task reads what is its own, and none is left.
// suspend: parked >= 2000
// suspend WEIR_MAX_PERMITS=2: fallbacks.get('backlog', 0) > 0 or not storage_ops
// suspend WEIR_MAX_PERMITS=2 WEIR_STAND_INS=1: not fallbacks.get('backlog', 0)
// auto WEIR_MAX_PERMITS=2: fallbacks.get('backlog', 0) > 0 or not storage_ops
// park: not fallbacks.get('backlog', 0)
#include <fcntl.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

#include <cstring>
#include <string>
#include <vector>

#include "case.h"

int main() {
  constexpr int tasks = 6000, pages = 256;  // of the first ones two have to make their files at the same time: then stand-ins come
  constexpr std::size_t page = 4096;
  char folder[] = "enough-XXXXXX";
  check(mkdtemp(folder), "a folder");
  std::string data = std::string(folder) + "/data";
  int fd = open(data.c_str(), O_CREAT | O_RDWR, 0600);
  std::vector<char> content(pages * page);
  for (int i = 0; i < pages; ++i) std::memset(&content[i * page], i, page);
  check(fd >= 0 && write(fd, content.data(), content.size()) == ssize_t(content.size()) && !fdatasync(fd), "its file");
  int direct = open(data.c_str(), O_RDONLY | O_DIRECT);
  if (direct < 0) direct = fd;
  std::atomic<int> own{0}, made{0};
  tbb::parallel_for(
      tbb::blocked_range<int>(0, tasks, 1),
      [&](const tbb::blocked_range<int>& range) {
        for (int i = range.begin(); i != range.end(); ++i) {
          std::string name = std::string(folder) + "/" + std::to_string(i % 16);
          int file = open(name.c_str(), O_CREAT | O_RDWR, 0600);
          if (file >= 0 && !close(file)) ++made;
          alignas(4096) char here[page];
          if (pread(direct, here, page, off_t(i % pages * page)) == ssize_t(page) && here[page - 1] == char(i % pages)) ++own;
        }
      },
      tbb::simple_partitioner());
  std::printf("%d made, %d read their own\n", made.load(), own.load());
  for (int i = 0; i < 16; ++i) unlink((std::string(folder) + "/" + std::to_string(i)).c_str());
  unlink(data.c_str());
  rmdir(folder);
}
