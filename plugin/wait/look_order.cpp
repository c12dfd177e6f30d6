// SPDX-License-Identifier: Apache-2.0
#include "wait/look_order.h"

#include <bit>

namespace weir::wait {

constinit LookOrder look_order;

LookOrder::Place LookOrder::joins(std::uint64_t number) {
  std::int64_t company = company_.fetch_add(1, std::memory_order_relaxed) + 1;
  std::uint64_t beside = word(number).fetch_or(bit(number), std::memory_order_relaxed);
  std::int64_t older = std::popcount(beside & (bit(number) - 1));
  // Before its own word are those of `words` in all that the latest number has not come to yet.
  std::uint64_t latest = next_.load(std::memory_order_relaxed) / in_word;
  for (std::uint64_t i = number / in_word + words - 1; i > latest; --i) {
    if (std::uint64_t others = stand_back_[i % words].load(std::memory_order_relaxed)) older += std::popcount(others);
  }
  return {older, company};
}

void LookOrder::leaves(std::uint64_t number) {
  word(number).fetch_and(~bit(number), std::memory_order_relaxed);
  company_.fetch_sub(1, std::memory_order_relaxed);
}

void LookOrder::after_fork() {
  company_.store(0, std::memory_order_relaxed);
  for (auto& word : stand_back_) word.store(0, std::memory_order_relaxed);
}

}  // namespace weir::wait
