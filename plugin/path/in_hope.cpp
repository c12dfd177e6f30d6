// SPDX-License-Identifier: Apache-2.0
#include "path/in_hope.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "sys/file.h"

namespace weir::path {

// hopeful (bit 31); hits: reads in a row that the page cache had (bits 24 to 27); vain: how often hope was (bits 16 to 19); wait: how many
// reads are taken to wait before the next one in hope (bits 0 to 15). Relaxed, and not in one step: a count that is lost is one read more
// or less.
constinit std::atomic<std::uint32_t> hopes[guesses] = {};

namespace {

constexpr unsigned sure = 7;       // hits in a row, after which nobody asks
constexpr unsigned most_vain = 9;  // then one read in 1024 is made in hope
constexpr unsigned doubtful = 4;   // as often as it was vain where the page cache says no at first

struct State {
  bool hopeful;
  unsigned hits, vain, wait;
};

State state_of(int fd) {
  std::uint32_t bits = by_number(hopes, fd).load(std::memory_order_relaxed);
  return {(bits & path::hopeful) != 0, bits >> 24 & 15, bits >> 16 & 15, bits & 0xFFFF};
}
void set(int fd, State s) {
  std::uint32_t bits = (s.hopeful ? path::hopeful : 0u) | s.hits << 24 | s.vain << 16 | s.wait;
  by_number(hopes, fd).store(bits, std::memory_order_relaxed);
}

// (Some that have bytes say that they have none: nothing is known of those.)
bool is_file(int fd, off_t* size) {
  struct stat about;
  if (failed(sys::known_of(fd, &about)) || !S_ISREG(about.st_mode)) return false;
  *size = about.st_size;
  return *size > 0;
}

unsigned wait_after(unsigned vain) { return (2u << vain) - 1; }

}  // namespace

Result look_in_hope(int fd, off_t offset, std::uint64_t bytes, off_t size) {
  State s = state_of(fd);
  if (s.hopeful) return 1;
  if (size == 0 && !is_file(fd, &size)) return -EOPNOTSUPP;
  if (offset >= size) return 1;
  Result found = sys::in_page_cache(fd, offset, std::min(bytes, static_cast<std::uint64_t>(size - offset)));
  if (found == 1) {
    ++s.hits;
    set(fd, {s.hits >= sure, s.hits, s.vain, s.wait});
    return 1;
  }
  if (found == 0 && !s.vain) s.vain = doubtful, s.wait = wait_after(doubtful);
  set(fd, {s.wait == 0, 0, s.vain, s.wait ? s.wait - 1 : 0});
  return s.wait == 0 ? 1 : found == 0 ? -EAGAIN : -EOPNOTSUPP;
}

void hope_came_true(int fd) {
  State s = state_of(fd);
  if (s.hopeful && s.vain) set(fd, {true, 0, 0, 0});
}

void hope_was_vain(int fd) {
  State s = state_of(fd);
  unsigned vain = std::min(s.vain + 1, most_vain);
  set(fd, {false, 0, vain, wait_after(vain)});
}

}  // namespace weir::path
