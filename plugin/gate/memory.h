// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::gate {

// What of memory is left, and what the process took of it since weir began to look.
struct Room {
  std::int64_t total = 0, left = 0, taken = 0;
};

// Each piece of work under way has memory of its own, for the file that it reads. Bare there are as many as cores. Where more of them
// have taken more than is left, no more begin, and as many as there are cores go on, one call after the other as without us, until they
// are through and gave theirs back.
bool becomes_short(const Room& room);
bool stays_short(const Room& room, bool some_wait);  // those who wait had begun when it became so: until they are through
std::int64_t that_go_on(const Room& room, std::int64_t cores);  // meanwhile; the fewer the less is left
// When to look again: as soon as it could be short, were the process to write as fast as memory bears; a second at most.
std::int64_t next_look_ns(const Room& room);

class Memory {
 public:
  bool is_short() const { return short_.load(std::memory_order_relaxed); }
  // Where calls wait; cheap unless it is time for a look.
  void look_if_due(std::int64_t now_ns) {
    std::int64_t due_ns = next_ns_.load(std::memory_order_relaxed);
    if (now_ns >= due_ns) look(now_ns, due_ns);
  }
  // Of a loop's threads: fewer after each shortage.
  std::int64_t most_at_work() const { return most_at_work_.load(std::memory_order_relaxed); }
  void after_fork() { lowest_.store(unknown); }

 private:
  static constexpr std::int64_t unknown = -1;
  void look(std::int64_t now_ns, std::int64_t due_ns);
  Room room();
  void begin_less(std::int64_t now_ns);

  std::atomic<std::int64_t> next_ns_{0};
  std::atomic<bool> short_{false};
  std::atomic<std::int64_t> ends_ns_{0};  // not before
  std::atomic<std::int64_t> lasts_ns_{0};
  std::atomic<std::int64_t> most_at_work_{std::int64_t{1} << 60};
  std::atomic<std::int64_t> lowest_{unknown};
};

}  // namespace weir::gate
