// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::base {

// CLOCK_MONOTONIC in nanoseconds, by the vDSO: some 25 ns, never a system call here.
std::int64_t now_ns();

constexpr std::int64_t ns_per_us = 1'000;
constexpr std::int64_t ns_per_ms = 1'000'000;
constexpr std::int64_t ns_per_s = 1'000'000'000;

// Of two time limits, of which the first may be none: < 0.
constexpr std::int64_t shorter(std::int64_t limit, std::int64_t other) { return limit < 0 || limit > other ? other : limit; }

}  // namespace weir::base
