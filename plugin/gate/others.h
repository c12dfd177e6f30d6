// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Other programs that compute on this one's cores, as far as its long yields tell (path/napping.h).
namespace weir::gate {

// Told when one was long, and not for a thread of this program.
void others_had_a_core(std::int64_t now_ns);
// Of late? A runtime whose team has more threads than there are cores waits asleep then: a nap or a yield for each of its barriers, thousands
// a second, would take longer than what they are between.
bool others_have_a_core_lately();

// Is the runtime told to, for now?
void waits_asleep(bool now);
bool is_to_wait_asleep();

}  // namespace weir::gate
