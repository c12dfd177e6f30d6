// SPDX-License-Identifier: Apache-2.0
#include "path/guess.h"

namespace weir::path {

constinit std::atomic<Bytes> bytes_of_last[guesses] = {};

namespace {

constexpr std::uint8_t sure = 4, again = sure + 31;

// Tries in a row that found nothing, up to `sure`; beyond, those left out since the last. Relaxed, and not in one step: a
// count that is lost is one try more or less.
constinit std::atomic<std::uint8_t> in_vain[guesses] = {};

}  // namespace

bool expects_nothing(int socket) {
  std::atomic<std::uint8_t>& count = by_number(in_vain, socket);
  std::uint8_t now = count.load(std::memory_order_relaxed);
  if (now < sure) return false;
  bool left_out = now < again;
  count.store(left_out ? now + 1 : sure - 1, std::memory_order_relaxed);
  return left_out;
}

void tried(int socket, bool found_nothing) {
  std::atomic<std::uint8_t>& count = by_number(in_vain, socket);
  std::uint8_t before = count.load(std::memory_order_relaxed);
  std::uint8_t now = !found_nothing ? 0 : before < sure ? before + 1 : before;
  if (now != before) count.store(now, std::memory_order_relaxed);
}

}  // namespace weir::path
