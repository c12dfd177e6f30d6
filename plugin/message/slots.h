// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>

namespace weir::message {

// What a link knows of the messages of one direction that are not over, by their sequence numbers: [base, base + count),
// in a ring that grows. Slot is plain data with members `ended`, and `in_line` and `next_in_line` for a Line. Under its
// link's lock.
template <typename Slot>
class Slots {
 public:
  Slots() = default;
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  ~Slots() { std::free(slots_); }

  std::uint64_t base() const { return base_; }
  std::uint64_t end() const { return base_ + count_; }

  // nullptr: over, or not reached yet. Good until the next reach().
  Slot* find(std::uint64_t sequence) { return sequence - base_ < count_ ? &at(sequence) : nullptr; }

  // The slot of `sequence`, which is not below base(), with all before it; nullptr: no memory.
  Slot* reach(std::uint64_t sequence) {
    std::uint64_t count = sequence - base_ + 1;
    if (count > capacity_ && !grow(count)) return nullptr;
    for (; count_ < count; ++count_) new (&at(base_ + count_)) Slot{};
    return &at(sequence);
  }

  void drop_ended() {
    for (; count_ > 0 && at(base_).ended && !at(base_).in_line; --count_) ++base_;
  }

 private:
  Slot& at(std::uint64_t sequence) { return slots_[sequence & (capacity_ - 1)]; }

  bool grow(std::uint64_t wanted) {
    std::uint64_t capacity = capacity_ ? capacity_ : 16;
    while (capacity < wanted) capacity *= 2;
    auto* larger = static_cast<Slot*>(std::malloc(capacity * sizeof(Slot)));
    if (!larger) return false;
    for (std::uint64_t i = base_; i < end(); ++i) larger[i & (capacity - 1)] = at(i);
    std::free(slots_);
    slots_ = larger;
    capacity_ = capacity;
    return true;
  }

  Slot* slots_ = nullptr;
  std::uint64_t capacity_ = 0;  // a power of two
  std::uint64_t base_ = 0;
  std::uint64_t count_ = 0;
};

// First in, first out, of slots that have something to say; each at most once in it, and none is dropped while it is.
// Linked by sequence numbers, since slots move when their ring grows.
template <typename Slot>
class Line {
 public:
  void add(Slots<Slot>& slots, std::uint64_t sequence) {
    Slot* slot = slots.find(sequence);
    if (!slot || slot->in_line) return;
    slot->in_line = true;
    slot->next_in_line = none;
    if (last_ == none) first_ = sequence;
    else slots.find(last_)->next_in_line = sequence;
    last_ = sequence;
  }
  bool empty() const { return first_ == none; }
  // The first one's number, out of the line. Not when empty.
  std::uint64_t take(Slots<Slot>& slots) {
    std::uint64_t sequence = first_;
    Slot* slot = slots.find(sequence);
    slot->in_line = false;
    first_ = slot->next_in_line;
    if (first_ == none) last_ = none;
    return sequence;
  }

  static constexpr std::uint64_t none = ~0ull;

 private:
  std::uint64_t first_ = none, last_ = none;
};

}  // namespace weir::message
