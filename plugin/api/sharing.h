// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "control/share.h"

namespace weir::api {

// The processes of this user that wait for the device this process waits for, found by a file in /dev/shm; used by the
// controller's thread. Where that cannot be had, each process is alone, as far as it knows.
class Sharing {
 public:
  // Tells the others, and finds them: joins as soon as it is known which device callers wait for.
  control::Share::View meet(const control::Reading& mine);

  // For the one that leads: what all of them did until now. Waits some milliseconds for their answers.
  control::Reading all(const control::Reading& mine);
  // ... and what all of them may have from now on.
  void announce(int total);

  // For the others: until the one that leads asks or announces something, at most so long.
  void listen(std::int64_t most_ns);

  int total() const { return share_.total(); }
  int part(std::int64_t now_ns) const { return share_.part(now_ns); }
  void rest() { if (share_.joined()) share_.rest(); }
  // At the end of the controller; from any thread. meet() joins anew.
  void leave();
  // At the end of the process: for good, but for may_join().
  void leave_for_good() {
    ended_.store(true, std::memory_order_relaxed);
    leave();
  }
  void may_join() { ended_.store(false, std::memory_order_relaxed); }
  void forget();  // in a forked child

 private:
  void find();
  control::Share share_;
  std::uint32_t heard_ = 0;
  bool alone_for_good_ = false;
  std::atomic<bool> ended_{false};
  char name_[64] = {};
};

}  // namespace weir::api
