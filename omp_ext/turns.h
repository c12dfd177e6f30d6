// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/thread.h"
#include "omp_ext/seat.h"

// Whose turn it is in a loop with `ordered`. libomp sees to it that the turns come in order, by a hundred threads that look again and
// again; here, before that, each of a wide team sleeps until it is likely its turn, and is woken by the one before. Wrong or missing
// turns cost time alone.
namespace weir::team {

// The thread comes to such a loop, from `first` on by `step`; or to another one.
void begins_turns(base::TurnSeat& seat, std::uint64_t first, std::int64_t step);
void begins_turns_if_wide(std::uint64_t first, std::int64_t step);  // that it is in such a team
inline void begins_without_turns(base::TurnSeat& seat) { seat.in_turns = false; }

// Is it in such a loop, not within a team within the team?
inline bool takes_turns(const base::TeamSeat& seat) { return seat.turns.in_turns && !is_inner(seat.team); }

// Before libomp waits for the turns that a pass, or a piece, left out: the time until then is not to be waited for with a core.
void await_rest(base::TurnSeat& seat);
// Clang's code tells the end of each pass.
void await_pass(base::TurnSeat& seat);
void pass_is_over(base::TurnSeat& seat);
// It was handed its next one: `lower` to `upper`; or there is none.
void takes_piece(base::TurnSeat& seat, std::uint64_t lower, std::uint64_t upper);
void takes_none(base::TurnSeat& seat);

// Until it is its turn, as far as can be told.
void await_turn(base::TurnSeat& seat);
// It had it.
void had_turn(base::TurnSeat& seat);

// A team with stand-ins is about to begin.
void turns_begin_anew();

// `take` asks the runtime for the next piece of the loop, of which lower and upper say where it lies.
template <typename Take, typename Number>
auto next_in_turn(base::TurnSeat& seat, const Number* lower, const Number* upper, Take take) {
  await_rest(seat);
  auto any = take();
  if (any) takes_piece(seat, static_cast<std::uint64_t>(*lower), static_cast<std::uint64_t>(*upper));
  else takes_none(seat);
  return any;
}

}  // namespace weir::team
