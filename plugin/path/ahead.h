// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "base/result.h"
#include "path/guess.h"
#include "path/in_hope.h"

// Reads at a file's shared offset, one after the other: each look costs three calls beside the read's own. So where some in a row were
// at hand the page cache is asked about more of what follows, and reads within that are made without a look, and timed. Where the
// program goes elsewhere in the file, or the cache has let go of it, one read may wait unseen. Of a FILE in which nobody has sought
// the cache is asked at once; and of a small file, all of it, when its beginning is read.
namespace weir::path {

// By number: so many bytes to come are at hand (`known`); or looks in a row that found theirs; or reads until the page cache is asked
// again, after it did not say (`asked_in_vain`).
extern std::atomic<std::uint32_t> bytes_ahead[guesses];
constexpr std::uint32_t known_ahead = 0x8000'0000, asked_in_vain = 0x4000'0000;

// May a read of so many bytes be made without a look? They count as read then.
inline bool takes_ahead(int fd, std::uint64_t bytes) {
  std::atomic<std::uint32_t>& here = by_number(bytes_ahead, fd);
  std::uint32_t now = here.load(std::memory_order_relaxed);
  if (!(now & known_ahead) || bytes == 0 || bytes > (now & ~known_ahead)) return false;
  here.store(now - static_cast<std::uint32_t>(bytes), std::memory_order_relaxed);
  return true;
}

// A look found the bytes at `offset`; the file has `size`. In a row: that the next read begins where this one ends is sure.
void look_ahead(int fd, off_t offset, std::uint64_t bytes, off_t size, bool in_a_row = false);

inline void forget_ahead(int fd) { by_number(bytes_ahead, fd).store(0, std::memory_order_relaxed); }

// Makes such a read.
template <typename Read>
Result read_ahead(int fd, std::uint64_t bytes, Read read) {
  std::uint64_t began = __builtin_ia32_rdtsc();
  Result got = read();
  if (took_long(__builtin_ia32_rdtsc() - began, bytes)) forget_ahead(fd);
  return got;
}

}  // namespace weir::path
