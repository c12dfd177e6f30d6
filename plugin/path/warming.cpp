// SPDX-License-Identifier: Apache-2.0
#include "path/warming.h"

#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>

#include "base/clock.h"
#include "path/waiting.h"
#include "sys/file.h"

namespace weir::path {
namespace {

constexpr std::uint64_t none = ~std::uint64_t{0};
// The device on which a file was last seen to leave nothing in the cache, and how many reads there were not
// warmed since.
constinit std::atomic<std::uint64_t> forgetful{none};
constinit std::atomic<std::uint32_t> not_warmed{0};

// Is the byte that was read a moment ago in the page cache? Kernels before Linux 6.5 don't say, later ones
// not of everybody's files, and an overlay's lie in another file's: then it is there if one of two reads does
// not wait.
bool stayed(int fd, off_t offset) {
  constexpr std::int64_t at_once_ns = 50 * base::ns_per_us;
  if (sys::in_page_cache(fd, offset, 1) == 1) return true;
  for (int tries = 0; tries < 2; ++tries) {
    char byte;
    iovec part{&byte, 1};
    std::int64_t began = base::now_ns();
    sys::preadv2(fd, &part, 1, offset, 0);
    if (base::now_ns() - began < at_once_ns) return true;
  }
  return false;
}

void learn(int fd, off_t offset) {
  bool did = stayed(fd, offset);
  std::uint64_t known = forgetful.load(std::memory_order_relaxed);
  struct stat about;
  if ((did && known == none) || failed(sys::known_of(fd, &about))) return;
  if (!did) forgetful.store(about.st_dev, std::memory_order_relaxed);
  else if (known == about.st_dev) forgetful.store(none, std::memory_order_relaxed);
}

}  // namespace

bool warm(int fd, off_t offset, std::uint64_t bytes, const weir_runtime& runtime, int* refusal) {
  // Where nobody looks: all readers scribble on the same page-aligned memory, so that warming costs no cache.
  constexpr std::uint64_t sink_bytes = 64 * 1024;
  constexpr int most_parts = 64;
  alignas(4096) static char sink[sink_bytes];
  iovec parts[most_parts];
  int count = 0;
  for (; bytes && count < most_parts; ++count) {
    parts[count] = {sink, std::min(bytes, sink_bytes)};
    bytes -= parts[count].iov_len;
  }
  Result got;
  if (!perform(op::readv(fd, parts, count, offset), true, runtime, &got, refusal)) return false;
  if (got > 0) learn(fd, offset);
  return true;
}

// Another file there may be different: one in so many is warmed all the same.
bool stays_cached(std::uint64_t device) {
  constexpr std::uint32_t many = 256;
  if (forgetful.load(std::memory_order_relaxed) != device) return true;
  return not_warmed.fetch_add(1, std::memory_order_relaxed) % many == many - 1;
}

}  // namespace weir::path
