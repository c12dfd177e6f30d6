// SPDX-License-Identifier: Apache-2.0
#include "path/ending.h"

#include <atomic>
#include <cstdint>

#include "base/thread.h"
#include "path/ahead.h"
#include "path/engine.h"
#include "path/guess.h"

namespace weir::path {
namespace {

enum Mark : std::uint8_t { nobody, waited, guessed };
constinit std::atomic<std::uint8_t> marks[guesses] = {};

// A child of vfork has a table of its own, and our memory. On the driver's thread nobody waits for the driver.
bool is_another_table() { return base::self_unsuspended().engine_depth; }

std::uint8_t take_mark(int fd) {
  std::atomic<std::uint8_t>& mark = by_number(marks, fd);
  std::uint8_t had = mark.load(std::memory_order_relaxed);
  if (had == nobody) return had;
  mark.store(nobody, std::memory_order_relaxed);
  tried(fd, false);
  return had;
}

// Not in a signal handler: the driver may wait for what the thread was at.
void settle(std::uint8_t mark) {
  if (mark != nobody && !base::in_signal_handler()) driver.settle(mark == guessed);
}

}  // namespace

void waits_at(int fd, bool on_a_guess) {
  std::atomic<std::uint8_t>& mark = by_number(marks, fd);
  std::uint8_t now = on_a_guess ? guessed : waited;
  if (mark.load(std::memory_order_relaxed) < now) mark.store(now, std::memory_order_seq_cst);
}

void number_ends(int fd) {
  if (fd < 0 || is_another_table()) return;
  forget_ahead(fd);
  settle(take_mark(fd));
}

void numbers_end(unsigned first, unsigned last) {
  if (first > last || is_another_table()) return;
  std::uint8_t most = nobody;
  unsigned more = last - first;
  for (unsigned i = 0; i < guesses && i <= more; ++i) {
    int fd = static_cast<int>((first + i) % guesses);
    forget_ahead(fd);
    std::uint8_t had = take_mark(fd);
    if (had > most) most = had;
  }
  settle(most);
}

void forget_number(int fd) {
  if (fd >= 0) tried(fd, false);
}

}  // namespace weir::path
