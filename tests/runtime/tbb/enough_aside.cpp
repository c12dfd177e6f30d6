// SPDX-License-Identifier: Apache-2.0
// Tasks that read on in a file past the cache, for which a thread can only block, and then read at a place of their own: where stand-ins are there and
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
  constexpr int tasks = 6000, pages = 256;  // of the first ones two have to read on at the same time: then stand-ins come
  constexpr std::size_t page = 4096;
  char folder[] = "enough-XXXXXX";
  check(mkdtemp(folder), "a folder");
  std::string data = std::string(folder) + "/data";
  int fd = open(data.c_str(), O_CREAT | O_RDWR, 0600);
  std::vector<char> content(pages * page);
  for (int i = 0; i < pages; ++i) std::memset(&content[i * page], i, page);
  auto written = [&] { return write(fd, content.data(), content.size()) == ssize_t(content.size()); };
  check(fd >= 0, "its file");
  for (int i = 0; i < tasks; i += pages) check(written(), "its pages");
  check(!fdatasync(fd), "on its disk");
  int direct = open(data.c_str(), O_RDONLY | O_DIRECT);
  if (direct < 0) direct = fd;
  int further = open(data.c_str(), O_RDONLY | O_DIRECT);
  if (further < 0) further = open(data.c_str(), O_RDONLY);
  std::atomic<int> own{0}, went_on{0};
  tbb::parallel_for(
      tbb::blocked_range<int>(0, tasks, 1),
      [&](const tbb::blocked_range<int>& range) {
        for (int i = range.begin(); i != range.end(); ++i) {
          alignas(4096) char here[page];
          if (read(further, here, page) == ssize_t(page)) ++went_on;
          if (pread(direct, here, page, off_t(i % pages * page)) == ssize_t(page) && here[page - 1] == char(i % pages)) ++own;
        }
      },
      tbb::simple_partitioner());
  std::printf("%d went on, %d read their own\n", went_on.load(), own.load());
  unlink(data.c_str());
  rmdir(folder);
}
