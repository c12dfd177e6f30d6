// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "control/history.h"

// The controller's thread: reads the meters, asks control::Loop, sets the gate's limit.
namespace weir::api {

// The permits are the controller's from now on, or (fixed > 0) of a fixed number. Starts no thread: the first caller
// that finds no permit free does that, and wakes it again after it fell asleep for lack of work.
void set_permits(std::int64_t fixed, std::int64_t most);

// A copy of what the limit was so far; empty while the controller never ran.
control::History control_history();

// The process ends: its part of the permits is for others.
void stop_sharing();
void share_again();  // it goes on after all

// What the controller is about, as a literal: "fixed" where the number of permits is, "idle" where it sleeps.
const char* control_state();

void controlling_after_fork();

}  // namespace weir::api
