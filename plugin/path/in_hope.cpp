// SPDX-License-Identifier: Apache-2.0
#include "path/in_hope.h"

#include <sys/stat.h>

#include <algorithm>

#include "sys/file.h"

namespace weir::path {

// hopeful (bit 31); common: by what is known of all numbers (bit 30); doubted: the last read took long (bit 29); hits: reads in a
// row that the page cache had, or that did not wait (bits 24 to 27); vain: how often hope was (bits 16 to 19); wait: how many reads
// are taken to wait before the next one in hope (bits 0 to 15). Relaxed, and not in one step: a count that is lost is one read more
// or less.
constinit std::atomic<std::uint32_t> hopes[guesses] = {};

namespace {

constexpr unsigned sure = 7;        // hits in a row, after which nobody asks
constexpr unsigned forgiving = 15;  // and after so many that did not wait a hope that was vain is forgotten
constexpr unsigned most_vain = 9;   // then one read in 1024 is made in hope
constexpr unsigned doubtful = 4;    // as often as it was vain where the page cache says no at first

struct State {
  bool hopeful, common;
  unsigned hits, vain, wait;
  bool doubted = false;
};

constexpr std::uint32_t common = 0x4000'0000, doubted = 0x2000'0000;
constexpr unsigned wait_after(unsigned vain) { return (2u << vain) - 1; }
constexpr std::uint32_t bits_of(State s) {
  return (s.hopeful ? hopeful : 0u) | (s.common ? common : 0u) | (s.doubted ? doubted : 0u) | s.hits << 24 | s.vain << 16 | s.wait;
}
State state_of(std::uint32_t bits) {
  return {(bits & hopeful) != 0, (bits & common) != 0, bits >> 24 & 15, bits >> 16 & 15, bits & 0xFFFF, (bits & doubted) != 0};
}
State state_in(const std::atomic<std::uint32_t>& of) { return state_of(of.load(std::memory_order_relaxed)); }
void set(std::atomic<std::uint32_t>& of, State s) { of.store(bits_of(s), std::memory_order_relaxed); }

State after_a_hit(State s) {
  bool forgotten = s.vain && s.hits == forgiving;
  return {true, false, s.vain && !forgotten ? s.hits + 1 : 0, s.vain - forgotten, 0};
}
State after_vain(State s) {
  unsigned vain = std::min(s.vain + 1, most_vain);
  return {false, false, 0, vain, wait_after(vain)};
}

// Thousands of numbers may come by a few times each: what was learned by hope on some of them is for all.
constinit std::atomic<std::uint32_t> of_all{bits_of({false, false, 0, doubtful, wait_after(doubtful)})};

// (Some that have bytes say that they have none: nothing is known of those.)
bool is_file(int fd, off_t* size) {
  struct stat about;
  if (failed(sys::known_of(fd, &about)) || !S_ISREG(about.st_mode)) return false;
  *size = about.st_size;
  return *size > 0;
}

}  // namespace

bool look_in_hope(int fd, off_t offset, std::uint64_t bytes, off_t size) {
  std::atomic<std::uint32_t>& here = by_number(hopes, fd);
  State s = state_in(here);
  if (s.hopeful) return true;
  if (size == 0 && !is_file(fd, &size)) return false;
  if (!bytes || offset >= size) return true;
  Result found = sys::in_page_cache(fd, offset, std::min(bytes, static_cast<std::uint64_t>(size - offset)));
  if (found == 1) {
    bool is_sure = s.hits + 1 >= sure;
    set(here, {is_sure, false, is_sure ? 0 : s.hits + 1, s.vain, s.wait});
    return true;
  }
  State all = state_in(of_all);
  bool fresh = found == 0 && !s.vain;
  bool by_itself = !fresh && s.wait == 0, by_all = all.wait == 0;
  if (by_itself || by_all) {
    set(here, {true, !by_itself, 0, s.vain, 0});
    return true;
  }
  if (fresh) s.vain = doubtful, s.wait = wait_after(doubtful);
  set(here, {false, false, 0, s.vain, s.wait - 1});
  set(of_all, {false, false, all.hits, all.vain, all.wait - 1});
  return false;
}

void hope_came_true(int fd) {
  std::atomic<std::uint32_t>& here = by_number(hopes, fd);
  State s = state_in(here);
  if (!s.hopeful) return;
  if (s.common) set(of_all, after_a_hit(state_in(of_all)));
  if (s.common || s.vain || s.doubted) set(here, after_a_hit(s));
}

// Of several that took long at once one counts: they may all have lost their cores to each other. And where hope was never vain of late
// one alone is only a doubt.
void hope_was_vain(int fd, std::uint32_t before_) {
  std::atomic<std::uint32_t>& here = by_number(hopes, fd);
  State s = state_in(here), before = state_of(before_);
  if (!s.hopeful || s.vain > before.vain || (s.doubted && !before.doubted)) return;
  if (!s.common && !s.vain && !s.doubted) {
    s.doubted = true;
    return set(here, s);
  }
  if (s.common) set(of_all, after_vain(state_in(of_all)));
  set(here, after_vain(s));
}

}  // namespace weir::path
