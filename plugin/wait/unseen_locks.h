// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::wait {

// Calls that are made with a lock held that weir does not see, since it is inlined: it shows in who wants it. While such a call
// waits, others spin, and it alone is under way. To set its task aside is worth nothing then: each task that begins in its place
// comes to want the lock, and has to make way again and again for one that would have gone on by itself.
//
//   tried, first calls --wanted by others meanwhile--> held
//     `--not wanted--> watched, some more --wanted more often than not--> held
class UnseenLocks {
 public:
  enum class Verdict : std::uint8_t {
    nothing_known,
    trial,  // its thread had better block, this once, at least for a moment: who spins meanwhile?
    held,   // its thread had better block
  };
  static constexpr std::int32_t tried = 4;
  // A call from `address` begins to wait. The first `tries` may be tried. That nobody wanted those beyond the usual says nothing:
  // the other threads may not be there yet.
  Verdict begins(const void* address, bool may_try, std::int32_t tries = tried);
  // A task spins, or sleeps for a lock, longer than for one that is soon given back.
  void somebody_wants();

 private:
  struct Place {
    std::atomic<const void*> address{nullptr};
    std::atomic<std::int32_t> calls{0}, wanted{0}, more_tries{0};
    std::atomic<bool> held{false};
  };
  static constexpr std::size_t places = 64;
  static constexpr std::int32_t enough = 2, watched = 256;

  Place places_[places];
  std::atomic<Place*> latest_{nullptr};  // of the call that began last, until somebody wanted something
};
extern UnseenLocks unseen_locks;

}  // namespace weir::wait
