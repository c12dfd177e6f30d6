// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <atomic>

#include "path/call.h"
#include "sys/file.h"

namespace weir::path {
namespace {

// Is the byte at this offset in the page cache? 1 yes, 0 it is past the end, -EAGAIN no, others: can't tell.
Result cached(int fd, off_t offset) {
  char byte;
  iovec part{&byte, 1};
  return sys::preadv2(fd, &part, 1, offset, RWF_NOWAIT);
}

// A file at its shared offset. A short RWF_NOWAIT read would have moved that offset: another thread could read on from
// the middle of our record. So look first, without moving anything, then let the real call run.
Result attempt_shared(Call& call, off_t offset) {
  if (call.bytes == 0) return call.real(call);
  Result last = cached(call.fd, offset + static_cast<off_t>(call.bytes) - 1);
  if (last == 1) return call.real(call);
  if (last == 0) {
    Result first = cached(call.fd, offset);
    return first >= 0 ? call.real(call) : first == -EAGAIN ? first : -EOPNOTSUPP;
  }
  return last == -EAGAIN ? last : -EOPNOTSUPP;
}

// lseek alone can't tell: it succeeds on timers, events and some devices, which a look would disturb.
enum class Kind { stored, memory, stream };

Kind kind_of(int fd) {
  constexpr unsigned memory_devices = 1;  // null, zero, random: they never wait, and break off what must not
  struct stat about;
  if (failed(sys::fstat(fd, &about))) return Kind::stream;
  if (S_ISREG(about.st_mode) || S_ISBLK(about.st_mode)) return Kind::stored;
  return S_ISCHR(about.st_mode) && major(about.st_rdev) == memory_devices ? Kind::memory : Kind::stream;
}

// A direct read has no cache to look at: with RWF_NOWAIT the kernel sends it to the device all the same, and waits.
// Asking which a descriptor is costs a system call, so what it was last time is remembered as a guess, by its number. A
// wrong guess costs time, never a result: "direct" is asked again at each call, and "cached" is withdrawn when an attempt
// took as long as a device does.
enum Guess : std::uint8_t { unknown, through_cache, direct };
constexpr int guesses = 4096;
constinit std::atomic<std::uint8_t> guess_by_number[guesses] = {};

std::atomic<std::uint8_t>& guess_of(int fd) { return guess_by_number[static_cast<unsigned>(fd) % guesses]; }

bool is_direct(const Call& call) {
  if (((static_cast<std::uint64_t>(call.offset) | call.bytes) & 511) != 0) return false;
  std::atomic<std::uint8_t>& guess = guess_of(call.fd);
  if (guess.load(std::memory_order_relaxed) == through_cache) return false;
  Result flags = sys::status_flags(call.fd);
  bool is = !failed(flags) && (flags & O_DIRECT);
  guess.store(is ? direct : through_cache, std::memory_order_relaxed);
  return is;
}

// In cycles of the time stamp counter: some 10 us, and more for what takes long to copy.
bool took_long(std::uint64_t cycles, std::uint64_t bytes) { return cycles > 25'000 + bytes; }

}  // namespace

Result attempt_next(Call& call) {
  Result offset = sys::lseek(call.fd, 0, SEEK_CUR);
  Kind kind = offset >= 0 ? kind_of(call.fd) : Kind::stream;
  if (kind == Kind::stored) return attempt_shared(call, offset);
  if (kind == Kind::memory) return call.real(call);
  Result got = sys::preadv2(call.fd, call.parts, call.part_count, -1, RWF_NOWAIT);
  if (got != -EOPNOTSUPP) return got;
  // Terminals, named pipes: ready or not is all they say.
  pollfd about{call.fd, POLLIN, 0};
  return sys::poll(&about, 1, 0) == 0 ? -EAGAIN : -EOPNOTSUPP;
}

Result attempt_file_at(Call& call) {
  if (call.offset < 0) return -EOPNOTSUPP;
  if (is_direct(call)) return -EAGAIN;
  // Looking at the clock costs as much as the rest of this: one call in eight is timed.
  bool timed = (meter::mine().calls.value() & 7) == 0;
  std::uint64_t began = timed ? __builtin_ia32_rdtsc() : 0;
  Result got = sys::preadv2(call.fd, call.parts, call.part_count, call.offset, RWF_NOWAIT);
  if (timed && took_long(__builtin_ia32_rdtsc() - began, call.bytes))
    guess_of(call.fd).store(unknown, std::memory_order_relaxed);
  if (got <= 0 || static_cast<std::uint64_t>(got) == call.bytes) return got;
  // Short: the end of the file, or of what is cached. The end does not move back under a reader of a growing file.
  Result next = cached(call.fd, call.offset + got);
  if (next == 0) return got;
  return next == 1 ? call.real(call) : -EAGAIN;
}

}  // namespace weir::path
