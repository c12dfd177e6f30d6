// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/result.h"

namespace weir::sys {

constexpr std::int64_t forever = -1;

// Sleeps while `word` == `expected`, at most `timeout_ns` (forever: no limit). May return early; the caller looks again.
// -ETIMEDOUT when the time was up.
Result futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns = forever);

// Wakes at most `count` sleepers.
void futex_wake(std::atomic<std::uint32_t>& word, int count = 1);

}  // namespace weir::sys
