// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::pool {

// The tasks of one worker: it pushes and pops at the bottom, others steal at the top (Chase and Lev; orders after Le,
// Pop, Cohen and Zappella Nardelli). Bounded: what does not fit goes to the pool's shared queue.
template <typename T>
class Deque {
 public:
  static constexpr std::int64_t capacity = 4096;

  // Owner only. False: full.
  bool push(T* item) {
    std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    // The top as last seen will do while there is room: thieves only ever raise it, and reading it anew costs a cache
    // miss for each theft.
    if (bottom - top_seen_ >= capacity) {
      top_seen_ = top_.load(std::memory_order_acquire);
      if (bottom - top_seen_ >= capacity) return false;
    }
    slot(bottom).store(item, std::memory_order_relaxed);
    // seq_cst: publishes the item to thieves, and is ordered before the look at who sleeps.
    bottom_.store(bottom + 1, std::memory_order_seq_cst);
    return true;
  }

  // Owner only; the newest.
  T* pop() {
    std::int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
    // seq_cst with steal()'s: one of the two sees the other when a single item is left.
    bottom_.store(bottom, std::memory_order_seq_cst);
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    if (top > bottom) {
      bottom_.store(bottom + 1, std::memory_order_relaxed);
      return nullptr;
    }
    T* item = slot(bottom).load(std::memory_order_relaxed);
    if (top < bottom) return item;
    bool mine = top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed);
    bottom_.store(bottom + 1, std::memory_order_relaxed);
    return mine ? item : nullptr;
  }

  // Owner only: was this pushed last? Then pop() gives it, or nothing: a thief may have it by now.
  bool newest(const T* item) const {
    std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    return slots_[(bottom - 1) & (capacity - 1)].load(std::memory_order_relaxed) == item;
  }

  // Anyone; the oldest. nullptr: empty, or another thief was faster.
  T* steal() {
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    if (top >= bottom_.load(std::memory_order_seq_cst)) return nullptr;
    T* item = slot(top).load(std::memory_order_relaxed);
    bool mine = top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed);
    return mine ? item : nullptr;
  }

  bool empty() const {
    return top_.load(std::memory_order_seq_cst) >= bottom_.load(std::memory_order_seq_cst);
  }

 private:
  std::atomic<T*>& slot(std::int64_t index) { return slots_[index & (capacity - 1)]; }

  alignas(128) std::atomic<std::int64_t> top_{0};
  alignas(128) std::atomic<std::int64_t> bottom_{0};
  std::int64_t top_seen_ = 0;  // the owner's: not above top_
  alignas(128) std::atomic<T*> slots_[capacity] = {};
};

}  // namespace weir::pool
