// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "op/op.h"

namespace weir::ring {

// Operations begun on a guess: that who made them may wait at all. Most are over before the answer would matter. Those that have
// waited for a while are asked; where the guess was wrong, they are given up, and their makers go another way.
class Doubts {
 public:
  bool any() const { return young_ || old_; }

  void add(op::Request& request) { link(young_, request); }
  // That is over. One that was not added is let be.
  void remove(op::Request& request);

  // Asks those that were there at the last call already. Each that may not wait is given to give_up, at each call until it is over:
  // between a worker's begin of an operation and its wait the kernel finds it nowhere.
  template <typename GiveUp>
  void ask(GiveUp give_up) {
    for (op::Request *at = old_, *next; at; at = next) {
      next = at->next_doubt;
      if (at->may_wait(*at)) remove(*at);
      else give_up(*at);
    }
    while (op::Request* request = young_) {
      remove(*request);
      link(old_, *request);
    }
  }

  // In a forked child: they are the parent's.
  void forget() { young_ = old_ = nullptr; }

 private:
  static void link(op::Request*& first, op::Request& request);
  op::Request* young_ = nullptr;  // since the last call
  op::Request* old_ = nullptr;
};

}  // namespace weir::ring
