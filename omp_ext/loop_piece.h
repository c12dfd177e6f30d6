// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/thread.h"
#include "omp_ext/seat.h"
#include "omp_ext/turns.h"

namespace weir::team {

void before_next_piece(base::Thread& thread);
void after_next_piece(base::Thread& thread, bool any);

// The same for a loop with turns (turns.h). A piece begun early only waits for its turn: where calls don't block, no more are under way
// than there are cores, or threads bare.
void before_next_in_turn(base::Thread& thread);
void begins_to_wait_for_turn();  // without its core

// The thread is at a barrier, or ends its part of a region: the loop it was in is over, were it one that was cancelled.
void loop_is_over(base::TeamSeat& seat);

// The caller's region has as many threads as bare from its next run on: in this one, of a hundred that wait in libomp for another to come
// so far, the one that may go on comes by late.
void region_stays_narrow();

// In the caller's region there is a loop of which each piece may wait for one before: nobody stays behind with such a one untaken.
void pieces_wait_for_each_other();

// `take` asks the runtime for the next piece of a loop: any? `anybodys`: its pieces are not each some thread's own.
template <typename Take>
auto next_piece(bool anybodys, Take take) {
  base::Thread& thread = base::self_unsuspended();
  // A team within a team has pieces that nobody else takes.
  if (!anybodys || !is_wide(thread.seat.team) || is_inner(thread.seat.team)) [[likely]] return take();
  before_next_piece(thread);
  auto any = take();
  after_next_piece(thread, any);
  return any;
}

template <typename Take>
auto next_piece_in_turn(bool anybodys, Take take) {
  base::Thread& thread = base::self_unsuspended();
  if (!anybodys || !takes_turns(thread.seat)) return take();
  before_next_in_turn(thread);
  auto any = take();
  if (!any) loop_is_over(thread.seat);
  return any;
}

}  // namespace weir::team
