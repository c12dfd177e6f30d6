// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/thread.h"
#include "omp_ext/seat.h"

namespace weir::team {

void before_next_piece(base::Thread& thread);
void after_next_piece(base::Thread& thread, bool any);

// The thread ends its part of a region, and with it any loop that it did not see the end of (a cancelled one).
void leave_loop(base::TeamSeat& seat);

// `take` asks the runtime for the next piece of a loop whose pieces threads take as they come: any?
template <typename Take>
auto next_piece(Take take) {
  base::Thread& thread = base::self_unsuspended();
  if (!is_wide(thread.seat.team)) [[likely]] return take();
  before_next_piece(thread);
  auto any = take();
  after_next_piece(thread, any);
  return any;
}

}  // namespace weir::team
