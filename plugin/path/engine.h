// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "ring/driver.h"

namespace weir::path {

// The driver, and how to start it when a call first has to wait. api/instance builds and wires them.
extern ring::Driver driver;
extern bool (*start_engine)();
inline bool has_ring() { return driver.running() || start_engine(); }
// Told, while it is set, that a call is about to wait.
extern std::atomic<void (*)()> before_first_wait;
extern std::atomic<std::int64_t> watchdog_patience_ns;
// Called, under auto, before a task is set aside: where the program loaded more, the lane may be another after it.
extern std::atomic<void (*)()> judge_anew;

// The driver's tick: lets requests through that have waited for a permit longer than the gate's bound, and keeps watch
// over tasks that could go on and don't.
std::int64_t tick(std::int64_t now_ns);

// After the controller raised the limit: what may go now, goes.
void let_queued_through();

}  // namespace weir::path
