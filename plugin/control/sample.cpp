// SPDX-License-Identifier: Apache-2.0
#include "control/sample.h"

namespace weir::control {
namespace {

// Negative values and NaN fail the first comparison; what a counter cannot have counted is cut.
double to_millionth(double x) {
  if (!(x > 0)) return 0;
  constexpr double most = 9e9;
  if (x > most) return most;
  return static_cast<double>(static_cast<std::int64_t>(x * 1e6 + 0.5)) / 1e6;
}

double to_whole(double x) {
  if (!(x > 0)) return 0;
  constexpr double most = 9e15;
  return x > most ? most : static_cast<double>(static_cast<std::int64_t>(x + 0.5));
}

}  // namespace

Sample as_logged(const Sample& s) {
  return {to_millionth(s.dt_s),    to_millionth(s.ops), to_whole(s.bytes),     to_millionth(s.busy),
          to_millionth(s.blocked), to_millionth(s.cpu), to_millionth(s.level), s.region};
}

const char* name_of(State state) {
  constexpr const char* names[] = {"fast", "normal", "hold", "relocate"};
  return names[static_cast<int>(state)];
}

}  // namespace weir::control
