// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/turns.h"

#include <atomic>

#include "base/clock.h"
#include "gate/gate.h"
#include "sys/futex.h"

namespace weir::team {
namespace {

// A turn is told by a number: which of the region's loops with turns it is of, and which pass of that.
constexpr int pass_bits = 44;
std::uint64_t first_of_loop(std::uint32_t loop) { return std::uint64_t{loop} << pass_bits; }

// Those that sleep until a turn is near are found by its number.
struct Place {
  std::atomic<std::uint32_t> calls{0};
  std::atomic<std::int32_t> sleepers{0};
};
constexpr int place_bits = 8;
constexpr int places = 1 << place_bits;
constinit Place all_places[places]{};
// Spread, since turns that are waited for may lie a multiple of that apart: the pieces' length.
Place& place_of(std::uint64_t turn) { return all_places[turn * 0x9e3779b97f4a7c15u >> (64 - place_bits)]; }

// Whose turn is next, in each of the loops that a region may be in: libomp lets nobody be more than seven ahead of others. (One region
// with stand-ins runs at a time. Where teams are all of one size there may be several: then turns seem to come too early.)
constexpr std::uint64_t loops_at_once = 8;
constinit std::atomic<std::uint64_t> next_turns[loops_at_once]{};
std::atomic<std::uint64_t>& next_turn_of_loop_of(std::uint64_t turn) { return next_turns[(turn >> pass_bits) % loops_at_once]; }
bool has_come(std::uint64_t turn) { return next_turn_of_loop_of(turn).load() >= turn; }

void comes(std::uint64_t turn) {
  std::atomic<std::uint64_t>& next_turn = next_turn_of_loop_of(turn);
  std::uint64_t before = next_turn.load(std::memory_order_relaxed);
  while (before < turn && !next_turn.compare_exchange_weak(before, turn)) {}
  if (before >= turn) return;
  Place& place = place_of(turn);
  if (place.sleepers.load() == 0) return;  // who is about to sleep has counted itself first, and looks after that
  place.calls.fetch_add(1);
  sys::futex_wake(place.calls, places);
}

// With nothing seen to go on for so long, nobody may be left to call: then it is libomp's to wait.
constexpr std::int64_t longest_ns = 50 * base::ns_per_ms;

void sleep_until(std::uint64_t turn) {
  if (has_come(turn)) return;
  std::atomic<std::uint64_t>& next_turn = next_turn_of_loop_of(turn);
  Place& place = place_of(turn);
  place.sleepers.fetch_add(1);
  for (std::uint64_t seen = next_turn.load();;) {
    std::uint32_t calls = place.calls.load();
    if (next_turn.load() >= turn) break;
    bool in_vain = failed(sys::futex_wait(place.calls, calls, longest_ns));
    std::uint64_t now = next_turn.load();
    if (now >= turn || (in_vain && now == seen)) break;
    seen = now;
  }
  place.sleepers.fetch_sub(1);
}

}  // namespace

void turns_begin_anew() {
  for (auto& turn : next_turns) turn.store(0, std::memory_order_relaxed);
}

void begins_turns(base::TurnSeat& seat, std::uint64_t first, std::int64_t step) {
  seat.in_turns = step != 0;
  seat.had_its_turn = false;
  seat.first = first;
  seat.step = step;
  seat.turn = seat.end = first_of_loop(++seat.loop);
  comes(seat.turn);
}

void begins_turns_if_wide(std::uint64_t first, std::int64_t step) {
  base::TeamSeat& seat = base::self_unsuspended().seat;
  if (is_wide(seat.team) && !is_inner(seat.team)) begins_turns(seat.turns, first, step);
}

void takes_piece(base::TurnSeat& seat, std::uint64_t lower, std::uint64_t upper) {
  auto pass = [&seat](std::uint64_t at) {
    std::uint64_t away = seat.step > 0 ? at - seat.first : seat.first - at;
    return (away / static_cast<std::uint64_t>(seat.step > 0 ? seat.step : -seat.step)) % first_of_loop(1);
  };
  comes(seat.end);  // libomp handed out the next one: the last one's turns are all over
  seat.turn = first_of_loop(seat.loop) + pass(lower);
  seat.end = first_of_loop(seat.loop) + pass(upper) + 1;
}

void takes_none(base::TurnSeat& seat) {
  comes(seat.end);
  seat.in_turns = false;
}

void await_turn(base::TurnSeat& seat) { sleep_until(seat.turn); }

void had_turn(base::TurnSeat& seat) {
  if (seat.turn == seat.end) return;
  seat.had_its_turn = true;
  comes(++seat.turn);
}

void await_rest(base::TurnSeat& seat) {
  if (seat.turn < seat.end && !has_come(seat.turn)) gate::without_core([&seat] { sleep_until(seat.turn); });
}

void await_pass(base::TurnSeat& seat) {
  if (!seat.had_its_turn) await_rest(seat);
}

void pass_is_over(base::TurnSeat& seat) {
  if (!seat.had_its_turn) had_turn(seat);
  seat.had_its_turn = false;
}

}  // namespace weir::team
