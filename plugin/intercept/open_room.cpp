// SPDX-License-Identifier: Apache-2.0
#include "intercept/open_room.h"

#include <sys/select.h>

#include <cerrno>

#include "lane/waits.h"
#include "meter/counters.h"
#include "meter/teams.h"
#include "sys/file_limit.h"

namespace weir::intercept {
namespace {

bool has_more_under_way() {
  return meter::teams.widened.load(std::memory_order_relaxed) > 0 || meter::gauges.aside.load(std::memory_order_relaxed) > 0;
}

}  // namespace

bool OpenRoom::made_for(Result result) {
  constexpr int most_waits = 400;
  constexpr std::int64_t moment_ns = 5'000'000;
  if (result != -EMFILE || !has_more_under_way()) return false;
  if (sys::raise_file_limit(lane::anything_selects() ? FD_SETSIZE : sys::any_number)) return true;
  if (++waits_ > most_waits) return false;
  path::wait_a_moment(moment_ns);
  return true;
}

}  // namespace weir::intercept
