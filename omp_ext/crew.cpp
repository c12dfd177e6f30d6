// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/crew.h"

#include <algorithm>

namespace weir::team {
namespace {

// Between the two, nothing is known for sure. (Where the host or other programs take the cores, a process computes for less of
// their time: then all are at work, as without this.)
constexpr double is_busy = 0.96, is_not = 0.93;
constexpr std::int64_t least_a_core = 3;  // one computes, one is about to, one waits

}  // namespace

std::int64_t Crew::step(double busy, std::int64_t at_work, std::int64_t cores) {
  if (since_ < rest_) ++since_;
  if (busy < is_not) {
    busy_in_row_ = 0;
    if (at_work < most_) most_ = all;  // it holds nobody back
    if (most_ == all) return most_;
    if (most_ > too_few_ || since_ >= rest_) {
      rest_ = too_few_ ? std::min(2 * rest_, longest_rest) : rest_;
      too_few_ = most_;
      since_ = 0;
    }
    return most_ = 2 * most_;
  }
  if (busy < is_busy) busy_in_row_ = 0;
  else if (++busy_in_row_ >= 2) {
    std::int64_t half = std::max(std::min(most_, at_work) / 2, least_a_core * cores);
    bool was_too_few = half <= too_few_ && since_ < rest_;
    if (half < std::min(most_, at_work) && !was_too_few) {
      most_ = half;
      busy_in_row_ = -1;  // the window in which they become so few says nothing
    }
  }
  return most_;
}

}  // namespace weir::team
