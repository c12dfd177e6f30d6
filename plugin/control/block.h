// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "control/sample.h"

namespace weir::control {

// A stretch of time at one level, and what was completed in it.
//
//   begin(k) --level is not yet k--> settling --level is k, or patience is over--> counting --long enough--> complete
class Block {
 public:
  // `seconds`: how long to count. `settled`: the block before had the same level.
  void begin(int k, double seconds, bool settled);
  // It ends sooner, when so many operations were seen and `least_s` is over: for a rate that is not known yet.
  void end_at(double enough_ops, double least_s) { enough_ops_ = enough_ops, least_s_ = least_s; }
  void interrupt();               // the code went elsewhere for a while: settle anew, keep what was counted
  bool add(const Sample& sample); // true: complete

  double ops() const { return ops_; }
  double bytes() const { return bytes_; }
  double seconds() const { return seconds_; }
  double busy() const { return seconds_ > 0 ? busy_ / seconds_ : 0; }
  double cpu() const { return seconds_ > 0 ? cpu_ / seconds_ : 0; }
  double ln_ops_rate() const;     // natural logarithm of the operations a second
  double ln_bytes_rate() const;

 private:
  bool settles(const Sample& sample);

  int k_ = 1;
  int waited_ = 0;
  bool settled_ = false;
  double wanted_s_ = 0, least_s_ = 0, enough_ops_ = 0;
  double seconds_ = 0, ops_ = 0, bytes_ = 0, busy_ = 0, cpu_ = 0;
};

}  // namespace weir::control
