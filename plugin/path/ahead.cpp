// SPDX-License-Identifier: Apache-2.0
#include "path/ahead.h"

#include <algorithm>

#include "sys/file.h"

namespace weir::path {

constinit std::atomic<std::uint32_t> bytes_ahead[guesses] = {};

void look_ahead(int fd, off_t offset, std::uint64_t bytes, off_t size, bool in_a_row) {
  constexpr std::uint32_t enough_in_row = 3, in_vain_for = 64;
  constexpr std::uint64_t most = 256 * 1024;  // a look at so much takes as long as two reads of 4 KB
  bool all_at_once = offset == 0 && static_cast<std::uint64_t>(size) <= most;  // then it is no matter where the next one reads
  in_a_row |= all_at_once;
  std::atomic<std::uint32_t>& here = by_number(bytes_ahead, fd);
  std::uint32_t now = here.load(std::memory_order_relaxed);
  auto set = [&here](std::uint64_t to) { here.store(static_cast<std::uint32_t>(to), std::memory_order_relaxed); };
  if (now & known_ahead || (in_a_row && now < enough_in_row)) now = enough_in_row;  // what was known is read
  if (now & asked_in_vain) return set(now == asked_in_vain ? 0 : now - 1);
  if (now < enough_in_row) return set(now + 1);
  off_t next = offset + static_cast<off_t>(bytes);
  std::uint64_t more = size > next ? std::min(static_cast<std::uint64_t>(size - next), most) : 0;
  if (more < (all_at_once ? bytes : 2 * bytes)) return;
  Result found = sys::in_page_cache(fd, next, more);
  if (found != 1) return set(asked_in_vain | in_vain_for);
  bool to_the_end = static_cast<std::uint64_t>(size - next) == more;
  std::uint64_t behind = to_the_end ? 2 * bytes : 0;  // the reads that end with the file, and find that it has ended
  set(known_ahead | (more + behind));
}

}  // namespace weir::path
