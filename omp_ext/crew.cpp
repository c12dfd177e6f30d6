// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/crew.h"

#include <algorithm>

namespace weir::team {
namespace {

// With less fewer are not tried; below the second more are. The kernel's own threads, the host or other programs may have a
// part of the cores, so neither is near to 1; whether more bring more is tried.
constexpr double may_be_too_many = 0.85, may_be_too_few = 0.93;
constexpr double is_idle = 0.5;      // so little that one window is enough,
constexpr double surely_few = 0.8;   // and so little that more are kept whatever they bring
constexpr double gain = 1.03, loss = 0.95;
constexpr double unknown = -1;

}  // namespace

bool Crew::keeps_cores_busy(double busy) { return busy >= may_be_too_many; }
bool Crew::is_surely_too_few(double busy) { return busy < surely_few; }

// A device that stalls for a moment, or a host that takes the cores away, shows in one window; too few threads in each.
std::int64_t Crew::step(double busy, std::int64_t at_work, std::int64_t cores) {
  if (since_ < rest_) ++since_;
  double before = before_;
  before_ = busy;
  if (becomes_fewer_) {  // the window in which they do says nothing
    becomes_fewer_ = false;
    before_ = unknown;
  } else if (busy < is_idle) {
    grow(busy, at_work);
  } else if (before >= 0) {
    judge(before, busy, at_work, cores);
  }
  return most_;
}

void Crew::judge(double before, double busy, std::int64_t at_work, std::int64_t cores) {
  double share = (before + busy) / 2;
  bool brought_nothing = fewer_ && fewer_share_ >= surely_few && share < gain * fewer_share_;
  bool enough = most_ == all || (most_ == enough_ && share >= loss * enough_share_);
  if (brought_nothing) {
    enough_ = fewer_;
    enough_share_ = fewer_share_;
    if (too_few_ == fewer_) too_few_ = 0;
    become_fewer(fewer_);
  } else if (before < may_be_too_few && busy < may_be_too_few && !enough) {
    grow(share, at_work);
  } else {
    shrink(share, at_work, cores);
  }
}

void Crew::grow(double share, std::int64_t at_work) {
  before_ = unknown;
  fewer_ = 0;
  if (at_work < most_) most_ = all;  // it holds nobody back
  if (most_ == all) return;
  if (most_ > too_few_ || since_ >= rest_) {
    rest_ = too_few_ ? std::min(2 * rest_, longest_rest) : rest_;
    too_few_ = most_;
    since_ = 0;
  }
  fewer_ = most_;
  fewer_share_ = share;
  most_ *= 2;
}

void Crew::shrink(double share, std::int64_t at_work, std::int64_t cores) {
  std::int64_t half = std::max(std::min(most_, at_work) / 2, least_a_core * cores);
  bool was_too_few = half <= too_few_ && since_ < rest_;
  if (share >= may_be_too_many && half < std::min(most_, at_work) && !was_too_few) become_fewer(half);
}

void Crew::become_fewer(std::int64_t most) {
  most_ = most;
  becomes_fewer_ = true;
  fewer_ = 0;
}

}  // namespace weir::team
