// SPDX-License-Identifier: Apache-2.0
#include "sys/unsignalled.h"

#include <signal.h>
#include <time.h>

#include <initializer_list>

#include "sys/raw.h"

namespace weir::sys {
namespace {

constexpr std::uint64_t bit(int signal) { return std::uint64_t{1} << (signal - 1); }
constexpr std::uint64_t of_writes = bit(SIGPIPE) | bit(SIGXFSZ);

std::uint64_t pending() {
  std::uint64_t now = 0;
  raw(SYS_rt_sigpending, word(&now), sizeof now);
  return now & of_writes;
}

}  // namespace

Unsignalled::Unsignalled() {
  raw(SYS_rt_sigprocmask, SIG_BLOCK, word(&of_writes), word(&mask_), sizeof mask_);
  pending_ = pending();
}

// What came meanwhile is ours, and goes unseen; what was pending before is the program's.
Unsignalled::~Unsignalled() {
  if (std::uint64_t ours = pending() & ~pending_) {
    timespec none{};
    for (int signal : {SIGPIPE, SIGXFSZ}) {
      std::uint64_t only = bit(signal);
      if (ours & only) raw(SYS_rt_sigtimedwait, word(&only), 0, word(&none), sizeof only);
    }
  }
  raw(SYS_rt_sigprocmask, SIG_SETMASK, word(&mask_), 0, sizeof mask_);
}

}  // namespace weir::sys
