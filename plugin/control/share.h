// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "control/loop.h"

namespace weir::control {

// What the processes that read one device tell each other, in memory that they share. Any of them may end at any moment,
// in the middle of anything: each field stands for itself, and who gives no sign of life is not there.
struct alignas(64) SharedMember {
  std::atomic<std::int64_t> beat_ns;  // last sign of life; 0: not there, or nothing to do
  std::atomic<std::int64_t> storage_ops, storage_bytes, blocked_ns, cpu_ns;
  std::atomic<std::int32_t> process;  // 0: free
  std::atomic<std::int32_t> held, waiting;
  std::atomic<std::uint32_t> answered;  // the last question it answered
};

struct SharedPage {
  static constexpr std::uint32_t this_layout = 0x77650001;
  static constexpr int places = 60;
  std::atomic<std::uint32_t> layout;  // 0: just made
  std::atomic<std::uint32_t> asked;   // counts questions and announcements; members sleep on it
  std::atomic<std::int32_t> total;    // permits of all together
  std::array<SharedMember, places> members;
};
static_assert(sizeof(SharedPage) <= 4096);
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

// One process's part in it. The first that is there leads: it alone decides, by what all of them get done, how many permits
// there are in all; each takes its part of them.
class Share {
 public:
  // Takes a free place. False: none is free, or the page is of another layout.
  bool join(SharedPage* page, std::int32_t process);
  void leave();   // from any thread
  void forget() { page_ = nullptr; }  // in a forked child: the place is the parent's
  bool joined() const { return page_ && page_->members[place_].process.load(std::memory_order_relaxed) == process_; }

  void tell(const Reading& mine);  // I am here, and this is what I did
  void rest();                     // I am not, for now

  struct View {
    int members = 0;             // of those that are there
    bool leads = false;
    std::uint64_t company = 0;   // who they are: changes with every one that comes or goes
  };
  View look(std::int64_t now_ns) const;

  // Before a decision: asks all for news (the caller wakes them by page()->asked); answered() says when all have told.
  void ask();
  bool answered(std::int64_t now_ns) const;
  Reading sum(const Reading& mine) const;

  void set_total(int total);
  int total() const { return page_->total.load(std::memory_order_relaxed); }
  // What of `total` is this member's: even parts, but nobody more than it wants while another wants more.
  int part(std::int64_t now_ns) const;

  SharedPage* page() const { return page_; }

 private:
  bool there(const SharedMember& member, std::int64_t now_ns) const;
  SharedPage* page_ = nullptr;
  int place_ = 0;
  std::int32_t process_ = 0;
};

}  // namespace weir::control
