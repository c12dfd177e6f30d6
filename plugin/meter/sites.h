// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "meter/reason.h"

namespace weir::meter {

// From where a call came that had to wait: the name of libc's that was called, and the address it returns to. Without a name it is
// weir's own.
struct Caller {
  const char* call = nullptr;     // a literal
  const void* address = nullptr;
};

// How a call was served, once it could not be served at once.
enum class Served : std::uint8_t { plain, parked, suspended };

// One wait, when it is over.
struct Wait {
  Caller caller;
  Served served = Served::plain;
  Reason reason = Reason::none;
  std::int64_t bytes = 0;
  std::int64_t waited_ns = 0;
  std::int64_t hidden_ns = 0;  // of these, with the core given to others
};

// What one caller's calls came to, in one lane for one reason. Everybody writes, relaxed: a wait takes microseconds.
struct Site {
  static constexpr int buckets = 24;  // of 1 us, 2 us, 4 us ...; the first also below, the last also above

  Caller caller;
  Served served = Served::plain;
  Reason reason = Reason::none;
  std::atomic<std::int64_t> count{0}, bytes{0}, waited_ns{0}, hidden_ns{0};
  std::atomic<std::int64_t> histogram[buckets] = {};

  void add(const Wait& wait);
  void reset();
};

// The bucket of a wait: floor(log2(us)).
int bucket_of(std::int64_t waited_ns);

// A table of a fixed size. Callers that find no room are added up in one row of their own.
class Sites {
 public:
  static constexpr int most = 1024;

  void add(const Wait& wait);
  void reset();  // nobody else may be at it: a forked child

  // The site in slot i, nullptr where there is none (yet).
  const Site* at(int i) const { return slots_[i].ready.load(std::memory_order_acquire) ? &slots_[i].site : nullptr; }
  const Site& others() const { return others_; }

 private:
  //   key 0 --CAS--> key --the one who won writes caller, lane and reason; release--> ready
  struct Slot {
    std::atomic<std::uint64_t> key{0};
    std::atomic<bool> ready{false};
    Site site;
  };
  Slot slots_[most];
  Site others_;
};
extern Sites sites;

// Called, before a call waits, on its thread: whoever records sets it. Must not block.
extern std::atomic<void (*)()> before_wait;

// Is a record kept? Nothing is timed or looked up for it otherwise.
inline bool recording() { return before_wait.load(std::memory_order_relaxed) != nullptr; }

// A wait is over: whose it was, and what its caller's core was not used for is lost to the reason. Nothing without a record.
void account(const Wait& wait);

}  // namespace weir::meter
