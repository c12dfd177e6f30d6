// SPDX-License-Identifier: Apache-2.0
#include "wait/stalls.h"

namespace weir::wait {

void Stalls::one_begins(std::int64_t now_ns, std::int64_t look_ns) {
  ++count_;
  last_ = Stall::unknown;
  goes_on_ = true;
  known_ns_ = now_ns + 2 * look_ns;
}

// Who waited for it goes on soon after.
void Stalls::one_is_over(std::int64_t now_ns, std::int64_t look_ns) {
  goes_on_ = false;
  known_ns_ = now_ns + look_ns;
}

void Stalls::judge(Stall last, std::int64_t now_ns, std::int64_t look_ns) {
  known_ns_ = goes_on_ ? now_ns + 2 * look_ns : 0;
  if (last == Stall::unknown) return;
  count_ += (last != Stall::computes) - (last_ != Stall::computes);
  last_ = last;
}

}  // namespace weir::wait
