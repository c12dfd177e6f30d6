// SPDX-License-Identifier: Apache-2.0
#include "intercept/open_look.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "base/clock.h"
#include "base/thread.h"
#include "path/yielding.h"
#include "sys/file.h"
#include "sys/raw.h"

namespace weir::intercept {
namespace {

// A thread that walks a tree nobody has read lately finds no name at hand. After so many looks in vain the look, which follows the
// path a second time, is left out for as many names, then for twice as many, until one is found.
constexpr std::uint8_t many = 8, most = 64;

bool worth_a_look(int flags) {
  base::Thread& thread = base::self();
  if (thread.looks_in_vain < many || flags & O_DIRECTORY) return true;
  if (thread.opens_unseen < thread.looks_in_vain) {
    ++thread.opens_unseen;
    return false;
  }
  thread.opens_unseen = 0;
  return true;
}

void looked(bool in_vain) {
  std::uint8_t& known = base::self().looks_in_vain;
  if (!in_vain) known = 0;
  else if (known < many) ++known;
  else if (known < most) known = static_cast<std::uint8_t>(2 * known);
}

}  // namespace

// Where a call gives its core away nobody learns that it would be short by now, but by a look.
bool takes_long(const path::Habit& habit) {
  base::Thread& thread = base::self();
  return habit.is_long() && !(thread.holds_core && (++thread.opens_long & 15) == 0);
}

bool is_to_be_timed(const path::Habit& habit) { return !habit.is_short() || (++base::self().short_untimed & 7) == 0; }

bool has_mode(int flags) { return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE; }

bool may_make(int flags) { return has_mode(flags) || flags & O_TRUNC; }

void wait_for_other_end(path::Call& call, int directory, const char* path, int flags) {
  constexpr int enough = 1024;  // of other names, in a row: each look is a system call more
  static constinit std::atomic<int> others{0};
  const base::Thread& thread = base::self();
  const bool others_are_here = path::others_are_aside() && (thread.omp || (thread.place & base::in_tbb_arena));
  if (!others_are_here || (flags & O_ACCMODE) == O_RDWR || flags & (O_NONBLOCK | O_DIRECTORY | O_PATH)) return;
  if (others.load(std::memory_order_relaxed) >= enough) return;
  struct stat about;
  if (failed(sys::raw(SYS_newfstatat, directory, sys::word(path), sys::word(&about), 0)) || !S_ISFIFO(about.st_mode)) {
    others.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  others.store(-1000 * enough, std::memory_order_relaxed);
  call.attempt = nullptr;
  call.habit = nullptr;
  call.works = false;
  call.anybodys = true;
}

Result open_at_hand(int directory, const char* path, int flags, path::Habit& habit, bool* cold) {
  if (may_make(flags) || !worth_a_look(flags)) return -EAGAIN;
  if (takes_long(habit)) {
    *cold = true;
    return -EAGAIN;
  }
  bool timed = is_to_be_timed(habit);
  std::int64_t began = timed ? base::now_ns() : 0;
  Result result = sys::open_cached(directory, path, flags);
  if (timed && !failed(result)) habit.took(base::now_ns() - began);
  *cold = result == -EAGAIN;
  looked(*cold);
  return result;
}

}  // namespace weir::intercept
