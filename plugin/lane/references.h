// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lane/object.h"

namespace weir::lane {

// Some addresses, of pointer slots or of functions: is this one of them? Asked once for each byte of an object's code, and nearly
// always it is not.
class Addresses {
 public:
  static constexpr int most = 256;

  void add(std::uintptr_t address);
  bool any() const { return count_ > 0; }
  bool all_fit() const { return !lost_; }
  std::uintptr_t lowest() const { return lowest_; }
  std::uintptr_t span() const { return span_; }
  bool has(std::uintptr_t address) const {
    return address - lowest_ <= span_ && filter_[word(address)] >> bit(address) & 1 && find(address);
  }

 private:
  static constexpr std::size_t words = 64;
  static std::size_t word(std::uintptr_t address) { return (address >> 3 ^ address >> 12) % words; }
  static int bit(std::uintptr_t address) { return static_cast<int>((address >> 9 ^ address >> 3) % 64); }
  bool find(std::uintptr_t address) const;

  std::uintptr_t lowest_ = 1, span_ = 0;  // of none, there is one that nobody has: an odd slot
  std::uint64_t filter_[words] = {};
  int count_ = 0;
  bool lost_ = false;
  std::uintptr_t addresses_[most];
};

// Before a function is read, an instruction after the other: may one of them be of use? To look for each distance, from each of its
// bytes, takes a small part of the time, and an object's code has megabytes. A true may be wrong, a false is not.

// Does it call or jump through one of these slots, by a linker's stub or not, or load one?
bool may_use(const Object& object, Function function, const Addresses& slots);

// Does it take the address of one of these functions, as compilers do?
bool may_take(Function function, const Addresses& functions);

}  // namespace weir::lane
