// SPDX-License-Identifier: Apache-2.0
#include "path/ending.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/thread.h"
#include "gate/connecting.h"
#include "path/ahead.h"
#include "path/engine.h"
#include "path/guess.h"

namespace weir::path {
namespace {

// By number: the waits there that the driver was handed and that are not over, and in the upper half those of them that began on a
// guess.
constexpr std::uint64_t one_guess = std::uint64_t{1} << 32;
constinit std::atomic<std::uint64_t> handed_in[guesses] = {};

std::uint64_t one(bool on_a_guess) { return on_a_guess ? one_guess + 1 : 1; }

// A child of vfork has a table of its own, and our memory. On the driver's thread nobody waits for the driver.
bool is_another_table() { return base::self_unsuspended().engine_depth; }

std::uint64_t forget(int fd) {
  forget_ahead(fd);
  tried(fd, false);
  return by_number(handed_in, fd).load(std::memory_order_seq_cst);
}

// Not in a signal handler: the driver may wait for what the thread was at.
void settle(std::uint64_t waits) {
  if (waits && !base::in_signal_handler()) driver.settle(waits >= one_guess);
}

}  // namespace

void waits_at(int fd, bool on_a_guess) { by_number(handed_in, fd).fetch_add(one(on_a_guess), std::memory_order_seq_cst); }

void waited_at(int fd, bool on_a_guess) { by_number(handed_in, fd).fetch_sub(one(on_a_guess), std::memory_order_relaxed); }

bool is_waited_at(int fd) { return by_number(handed_in, fd).load(std::memory_order_relaxed); }

void number_ends(int fd) {
  if (fd < 0 || is_another_table()) return;
  gate::connection_is_old_at(fd);
  if (gate::connecting.any_queued() && !base::in_signal_handler()) gate::connecting.number_ends(fd);
  settle(forget(fd));
}

void numbers_end(unsigned first, unsigned last) {
  if (first > last || is_another_table()) return;
  std::uint64_t most = 0;
  unsigned more = last - first;
  for (unsigned i = 0; i < guesses && i <= more; ++i) most = std::max(most, forget(static_cast<int>((first + i) % guesses)));
  settle(most);
}

void endings_after_fork() {
  for (std::atomic<std::uint64_t>& waits : handed_in) {
    if (waits.load(std::memory_order_relaxed)) waits.store(0, std::memory_order_relaxed);
  }
}

void forget_number(int fd) {
  if (fd >= 0) tried(fd, false);
}

}  // namespace weir::path
