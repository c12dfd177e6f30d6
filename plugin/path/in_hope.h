// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "base/result.h"
#include "path/guess.h"

// Files of file systems that don't say whether a read would wait: overlays and FUSE know no
// RWF_NOWAIT. The page cache can be asked (Linux 6.5, later kernels
// only of files that one owns or may write); where it has the bytes they are
// there, and where not some file systems have them all the same, elsewhere. So a read now and then is made in
// the hope that it will not wait, and timed. Where it did not, the next ones are made so too, until one
// waits; each time that one did they get rarer.
namespace weir::path {

// By number: 0 nothing is known of the descriptor, or it says so. Bits: see in_hope.cpp.
extern std::atomic<std::uint32_t> hopes[guesses];
constexpr std::uint32_t hopeful = 0x8000'0000;

// Is a read from here to be made without a question?
inline bool is_hopeful(int fd) { return by_number(hopes, fd).load(std::memory_order_relaxed) & hopeful; }

// Is a read of these bytes to be made now: since it will not wait, or in hope? `size`: of the regular file, where it is known; else 0.
bool look_in_hope(int fd, off_t offset, std::uint64_t bytes, off_t size = 0);

// What came of it. `before`: what was known of the number when the read began.
void hope_came_true(int fd);
void hope_was_vain(int fd, std::uint32_t before);

// In cycles of the time stamp counter: some 10 us, and more for what takes long to copy.
inline bool took_long(std::uint64_t cycles, std::uint64_t bytes) { return cycles > 25'000 + bytes; }

// Makes the read, and remembers how long it took where it is made in hope.
template <typename Read>
Result made_in_hope(int fd, std::uint64_t bytes, Read read) {
  std::uint32_t before = by_number(hopes, fd).load(std::memory_order_relaxed);
  if (!before) return read();
  std::uint64_t began = __builtin_ia32_rdtsc();
  Result got = read();
  took_long(__builtin_ia32_rdtsc() - began, bytes) ? hope_was_vain(fd, before) : hope_came_true(fd);
  return got;
}

}  // namespace weir::path
