// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "kit/arguments.h"
#include "kit/runtimes.h"

namespace kit {

// Who runs the loops of a program that has several.
struct Team {
  Runtime runtime;
  unsigned threads;  // 0: what the runtime takes by itself
};

// --runtime and --threads, or the end of the program.
inline Team team_of(Arguments& arguments, const char* otherwise) {
  const Runtime runtime = runtime_of(arguments, otherwise);
  return {runtime, static_cast<unsigned>(arguments.number("threads", 0))};
}

// body(i) for i in [0, count), and the sum of what it returns. Items differ in size: OpenMP's loops are
// dynamic.
template <class Body>
std::uint64_t sum_of(const Team& team, std::int64_t count, const Body& body) {
  return sum_over<false>(team.runtime, count, body, team.threads);
}

// The same loop as a value, for parts of a program that do not care who runs it.
inline auto for_each_of(const Team& team) {
  return [team](std::size_t count, const std::function<void(std::size_t)>& body) {
    sum_of(team, static_cast<std::int64_t>(count), [&](std::int64_t i) {
      body(static_cast<std::size_t>(i));
      return std::uint64_t{0};
    });
  };
}

}  // namespace kit
