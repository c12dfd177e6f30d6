// SPDX-License-Identifier: Apache-2.0
#include "gate/memory.h"

#include <algorithm>

#include "base/clock.h"
#include "base/log.h"
#include "gate/gate.h"
#include "sys/memory.h"

namespace weir::gate {

bool becomes_short(const Room& room) { return room.left < room.total / 2 && room.left < room.taken; }

bool stays_short(const Room& room, bool some_wait) {
  bool enough = room.left > room.taken / 2 * 3;
  return room.left < room.total / 4 * 3 && (some_wait || !enough);
}

std::int64_t next_look_ns(const Room& room) {
  constexpr std::int64_t least_ns = 5 * base::ns_per_ms, most_ns = 1000 * base::ns_per_ms, bytes_a_ns = 8;
  if (room.total <= 0) return most_ns;  // nothing tells
  // Each byte that is taken is one left less.
  std::int64_t bytes = std::max(room.left - room.total / 2, (room.left - room.taken) / 2);
  return std::clamp(bytes / bytes_a_ns, least_ns, most_ns);
}

std::int64_t that_go_on(const Room& room, std::int64_t cores) {
  return std::clamp<std::int64_t>(room.total > 0 ? 4 * cores * room.left / room.total : cores, 1, cores);
}

Room Memory::room() {
  sys::Memory memory = sys::memory();
  std::int64_t lowest = lowest_.load(std::memory_order_relaxed);
  if (lowest == unknown || memory.mine < lowest) lowest_.store(lowest = memory.mine, std::memory_order_relaxed);
  return {memory.total, memory.left, memory.mine - lowest};
}

// Who looks may be kept from it by others that compute: then another does.
void Memory::look(std::int64_t now_ns, std::int64_t due_ns) {
  constexpr std::int64_t takes_ns = 5 * base::ns_per_ms;
  // (malloc can't be asked in a handler.)
  if (base::in_signal_handler() || !next_ns_.compare_exchange_strong(due_ns, now_ns + takes_ns)) return;
  Room now = room();
  auto would_be = [&] {
    if (!is_short()) return becomes_short(now);
    return now_ns < ends_ns_.load(std::memory_order_relaxed) || stays_short(now, the_gate.cores.wanted());
  };
  if (would_be()) sys::give_back_freed_memory(), now = room();
  bool is = would_be(), was = short_.exchange(is, std::memory_order_relaxed);
  if (is && !was) {
    begin_less(now_ns);
    base::say_if_verbose("%lld MB of memory are left, and %lld MB were taken since calls began to wait: no more goes on at once than bare",
                         static_cast<long long>(now.left >> 20), static_cast<long long>(now.taken >> 20));
  }
  // At each look: of two at once the later may have seen less.
  the_gate.cores.hold_to(is ? that_go_on(now, the_gate.cores.limit()) : Cores::any_number);
  next_ns_.store(now_ns + next_look_ns(now), std::memory_order_relaxed);
}

// They had too much together, and none was through. Each time that as many as before were let begin has been once too often: so it lasts
// twice as long as the last.
void Memory::begin_less(std::int64_t now_ns) {
  constexpr std::int64_t first_ns = 1000 * base::ns_per_ms, longest_ns = 60'000 * base::ns_per_ms;
  std::int64_t lasts_ns = std::clamp(2 * lasts_ns_.load(std::memory_order_relaxed), first_ns, longest_ns);
  lasts_ns_.store(lasts_ns, std::memory_order_relaxed);
  ends_ns_.store(now_ns + lasts_ns, std::memory_order_relaxed);
  constexpr std::int64_t times_less = 4;
  std::int64_t most = std::min(most_at_work(), the_gate.reserve.at_work()) / times_less;
  most_at_work_.store(std::max(most, the_gate.cores.limit()), std::memory_order_relaxed);
}

}  // namespace weir::gate
