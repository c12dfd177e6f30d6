// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::team {

// How many threads a team may have at most, and why not more: decided from plain values.
struct Limits {
  std::int64_t cores = 1;          // a team's size without weir
  std::int64_t stand_ins = 0;      // WEIR_STAND_INS: the largest team
  std::int64_t permits = 0;        // storage calls that may be in flight: more threads than that only queue
  std::int64_t descriptors = 0;    // that it may have, by the hard limit
  std::int64_t more_by_memory = 1 << 30;  // so many more threads, where the process's addresses are limited
};
std::int64_t widest_team(const Limits& limits);

// What in the user's environment says how many threads teams have; nullptr: nothing. `get` is getenv.
const char* number_in_environment(const char* (*get)(const char* name));
// What else in it sets teams' sizes, or makes them spin.
const char* environment_keeps_out(const char* (*get)(const char* name));

}  // namespace weir::team
