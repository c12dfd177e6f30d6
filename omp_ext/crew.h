// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::team {

// How many threads of a wide team take the pieces of a dynamic loop. As many as there are, unless the cores are busy all the
// time: then half of them may do, and keep less in the caches; and again, down to where the cores are not busy any more.
// Pure: one step a window of time.
//
//   all --busy, twice in a row--> half --busy, twice in a row--> half of that ...
//    ^-------- not busy: twice as many, and that few are not tried again for a while --------'
class Crew {
 public:
  static constexpr std::int64_t all = 1 << 30;

  // In the last window `at_work` threads took pieces, or had one in hand, and the process computed for that share of the cores'
  // time. At most how many are to do so from now on.
  std::int64_t step(double busy, std::int64_t at_work, std::int64_t cores);

  std::int64_t most() const { return most_; }

 private:
  static constexpr std::int32_t longest_rest = 256;
  std::int64_t most_ = all;
  std::int64_t too_few_ = 0;     // with so many the cores were not busy,
  std::int32_t rest_ = 16;       // and for so many windows that is believed,
  std::int32_t since_ = 0;       // of which so many are over
  std::int32_t busy_in_row_ = 0;
};

}  // namespace weir::team
