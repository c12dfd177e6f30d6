// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <atomic>

#include "path/ahead.h"
#include "path/call.h"
#include "path/guess.h"
#include "path/in_hope.h"
#include "sys/file.h"

namespace weir::path {
namespace {

// Is the byte at this offset in the page cache? 1 yes, 0 it is past the end, -EAGAIN no, others: can't tell.
Result cached(int fd, off_t offset) {
  char byte;
  iovec part{&byte, 1};
  return sys::preadv2(fd, &part, 1, offset, RWF_NOWAIT);
}

Result real_in_hope(Call& call) {
  return made_in_hope(call.fd, call.bytes, [&call] { return call.real(call); });
}

// A file at its shared offset. A short RWF_NOWAIT read would have moved that offset: another thread could read on from
// the middle of our record. So look first, without moving anything, then let the real call run.
Result attempt_shared(Call& call, off_t offset, off_t size) {
  if (call.bytes == 0) return call.real(call);
  Result found = at_hand(call.fd, offset, call.bytes, size);
  if (found < 0) return found == -EAGAIN ? found : -EOPNOTSUPP;
  if (found == 1 && !by_number(hopes, call.fd).load(std::memory_order_relaxed)) look_ahead(call.fd, offset, call.bytes, size);
  return real_in_hope(call);
}

// lseek alone can't tell: it succeeds on timers, events and some devices, which a look would disturb.
enum class Kind { stored, memory, stream };

// *size: of a regular file; else 0.
Kind kind_of(Call& call, off_t* size) {
  constexpr unsigned memory_devices = 1;  // null, zero, random: they never wait, and break off what must not
  struct stat about;
  if (failed(sys::known_of(call.fd, &about))) return Kind::stream;
  call.mode = about.st_mode;
  call.device = about.st_dev;
  *size = S_ISREG(about.st_mode) ? about.st_size : 0;
  if (S_ISREG(about.st_mode) || S_ISBLK(about.st_mode)) return Kind::stored;
  return S_ISCHR(about.st_mode) && major(about.st_rdev) == memory_devices ? Kind::memory : Kind::stream;
}

// A direct read has no cache to look at: with RWF_NOWAIT the kernel sends it to the device all the same, and waits.
// Asking which a descriptor is costs a system call, hence a guess: "direct" is asked again at each call, and "cached" is
// withdrawn when an attempt took as long as a device does.
enum Guess : std::uint8_t { unknown, through_cache, direct };
constinit std::atomic<Guess> way_of[guesses] = {};

bool is_direct(Call& call) {
  if (((static_cast<std::uint64_t>(call.offset) | call.bytes) & 511) != 0) return false;
  std::atomic<Guess>& guess = by_number(way_of, call.fd);
  if (guess.load(std::memory_order_relaxed) == through_cache) return false;
  Result flags = sys::status_flags(call.fd);
  bool is = !failed(flags) && (flags & O_DIRECT);
  if (is) call.status_flags = static_cast<int>(flags);
  guess.store(is ? direct : through_cache, std::memory_order_relaxed);
  return is;
}

Result attempt_at(Call& call) {
  if (call.offset < 0) return -EOPNOTSUPP;
  if (is_direct(call)) return -EAGAIN;
  if (is_hopeful(call.fd)) return real_in_hope(call);
  // Looking at the clock costs as much as the rest of this: one call in eight is timed.
  bool timed = (meter::mine().calls.value() & 7) == 0;
  std::uint64_t began = timed ? __builtin_ia32_rdtsc() : 0;
  Result got = sys::preadv2(call.fd, call.parts, call.part_count, call.offset, RWF_NOWAIT);
  if (timed && took_long(__builtin_ia32_rdtsc() - began, call.bytes))
    by_number(way_of, call.fd).store(unknown, std::memory_order_relaxed);
  if (got == -EOPNOTSUPP) return look_in_hope(call.fd, call.offset, call.bytes) ? real_in_hope(call) : got;
  if (got <= 0 || static_cast<std::uint64_t>(got) == call.bytes) return got;
  // Short: the end of the file, or of what is cached. The end does not move back under a reader of a growing file.
  Result next = cached(call.fd, call.offset + got);
  if (next == 0) return got;
  return next == 1 ? call.real(call) : -EAGAIN;
}

// Does the file system answer such looks? One behind the file's end reads nothing. Asked anew now and then:
// the number may stand for another file by now.
constinit std::atomic<std::uint8_t> answers[guesses] = {};

bool answers_looks(int fd, off_t size) {
  constexpr std::uint8_t many = 64;
  std::atomic<std::uint8_t>& left = by_number(answers, fd);
  std::uint8_t now = left.load(std::memory_order_relaxed);
  if (!now && cached(fd, size) == -EOPNOTSUPP) return false;
  left.store(now ? now - 1 : many, std::memory_order_relaxed);
  return true;
}

void found(int fd, Result there) { found_bytes(fd, there == 1 ? Bytes::there : Bytes::missing); }

}  // namespace

// The look at a byte makes the kernel read its page, and only that, where it is not there: a second transfer beside the
// call's own. Hence, where the last look found something missing, the one that makes it read nothing.
Result at_hand(int fd, off_t offset, std::uint64_t bytes, off_t size) {
  if (size > 0 && offset >= size) return 0;
  if (size > 0) bytes = std::min(bytes, static_cast<std::uint64_t>(size - offset));
  if (size > 0 && (is_hopeful(fd) || !answers_looks(fd, size))) {
    Result there = look_in_hope(fd, offset, bytes, size) ? 1 : -EOPNOTSUPP;
    found(fd, there);
    return there;
  }
  if (size > 0 && last_bytes(fd) != Bytes::there && sys::in_page_cache(fd, offset, bytes) == 0) {
    found_bytes(fd, Bytes::missing);
    return -EAGAIN;
  }
  Result last = cached(fd, offset + static_cast<off_t>(bytes) - 1);
  if (last == 0) last = cached(fd, offset);
  found(fd, last);
  return last;
}

Result attempt_next(Call& call) {
  if (takes_ahead(call.fd, call.bytes)) return read_ahead(call.fd, call.bytes, [&call] { return call.real(call); });
  Result offset = sys::lseek(call.fd, 0, SEEK_CUR);
  off_t size = 0;
  Kind kind = offset >= 0 ? kind_of(call, &size) : Kind::stream;
  if (kind == Kind::stored) return attempt_shared(call, offset, size);
  if (kind == Kind::memory) return call.real(call);
  Result got = sys::preadv2(call.fd, call.parts, call.part_count, -1, RWF_NOWAIT);
  call.can_break_off = got != -EOPNOTSUPP;
  if (call.can_break_off) return got;
  // Terminals, named pipes: ready or not is all they say.
  pollfd about{call.fd, POLLIN, 0};
  return sys::poll(&about, 1, 0) == 0 ? -EAGAIN : -EOPNOTSUPP;
}

Result attempt_file_at(Call& call) {
  Result got = attempt_at(call);
  if (got == -EAGAIN) found_bytes(call.fd, Bytes::missing);
  else if (last_bytes(call.fd) == Bytes::missing) found_bytes(call.fd, Bytes::unknown);
  return got;
}

}  // namespace weir::path
