// SPDX-License-Identifier: Apache-2.0
#include "path/ahead.h"

#include <algorithm>

#include "sys/file.h"

namespace weir::path {

constinit std::atomic<std::uint32_t> bytes_ahead[guesses] = {};

void look_ahead(int fd, off_t offset, std::uint64_t bytes, off_t size) {
  constexpr std::uint32_t enough_in_row = 3, in_vain_for = 64;
  constexpr std::uint64_t most = 256 * 1024;  // a look at so much takes as long as two reads of 4 KB
  std::atomic<std::uint32_t>& here = by_number(bytes_ahead, fd);
  std::uint32_t now = here.load(std::memory_order_relaxed);
  auto set = [&here](std::uint64_t to) { here.store(static_cast<std::uint32_t>(to), std::memory_order_relaxed); };
  if (now & known_ahead) now = enough_in_row;  // what was known is read
  if (now & asked_in_vain) return set(now == asked_in_vain ? 0 : now - 1);
  if (now < enough_in_row) return set(now + 1);
  off_t next = offset + static_cast<off_t>(bytes);
  std::uint64_t more = size > next ? std::min(static_cast<std::uint64_t>(size - next), most) : 0;
  if (more < 2 * bytes) return;
  Result found = sys::in_page_cache(fd, next, more);
  set(found == 1 ? known_ahead | more : asked_in_vain | in_vain_for);
}

}  // namespace weir::path
