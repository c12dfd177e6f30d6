// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::team {

// How many threads of a wide team take the pieces of a dynamic loop. As many as there are, unless the cores are busy nearly all the
// time: then half of them may do, and keep less in the caches; and again, for as long as fewer make no less of the cores' time.
// Pure: one step a window of time.
//
//   all --busy, over two windows--> half --busy, over two windows--> half of that ...
//    ^-- not busy in two, or idle in one: twice as many, and that few are not tried again for a while; or, where
//        twice as many brought nothing, as few again --'
class Crew {
 public:
  static constexpr std::int64_t all = 1 << 30;
  // With fewer, calls that wait come to a device one by one, and each end of one is an interrupt, and a core that was idle.
  static constexpr std::int64_t least_a_core = 8;

  // In the last window `at_work` threads took pieces, or had one in hand, and the process computed for that share of the cores'
  // time. At most how many are to do so from now on.
  std::int64_t step(double busy, std::int64_t at_work, std::int64_t cores);

  std::int64_t most() const { return most_; }
  void begin_with(std::int64_t most) { most_ = most; }
  static bool keeps_cores_busy(double busy);
  static bool is_surely_too_few(double busy);

 private:
  static constexpr std::int32_t longest_rest = 256;
  void judge(double before, double busy, std::int64_t at_work, std::int64_t cores);
  void grow(double share, std::int64_t at_work);
  void shrink(double share, std::int64_t at_work, std::int64_t cores);
  void become_fewer(std::int64_t most);

  std::int64_t most_ = all;
  double before_ = -1;           // how busy the window before was; less than 0: unknown
  bool becomes_fewer_ = false;
  std::int64_t too_few_ = 0;     // with so many the cores had more idle time,
  std::int32_t rest_ = 16;       // and for so many windows that is believed,
  std::int32_t since_ = 0;       // of which so many are over
  std::int64_t fewer_ = 0;       // before they were last doubled, until it is known what that brought
  double fewer_share_ = 0;
  std::int64_t enough_ = 0;      // with twice as many the cores were no busier
  double enough_share_ = 0;
};

}  // namespace weir::team
