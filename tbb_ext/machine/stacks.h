// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sys/lock.h"

namespace weir::tbb {

// Stacks for libtbb's coroutines, all of one size, out of one reserved range: taking and giving back cost no system call,
// and where the kernel has MADV_GUARD_INSTALL a stack costs no mapping, so that their number is not bound by
// vm.max_map_count.
//
//   untouched --take()--> in use --give()--> free, warm --take()--> in use
//                                     '----> free, its pages gone (more than `warm_stacks` free)
class Stacks {
 public:
  static constexpr std::uint32_t most = 32'768;

  // A stack of `bytes`, its lowest page a guard, as the page above it is; nullptr: not of the size that this pool has, or no memory.
  void* take(std::size_t bytes);
  // False: not from this pool.
  bool give(void* stack);
  bool owns(const void* address) const {
    return base_ && reinterpret_cast<std::uintptr_t>(address) - base_ < all_ * bytes_;
  }
  // Of one that it owns: where it ends.
  const void* end_of(const void* address) const {
    std::size_t within = (reinterpret_cast<std::uintptr_t>(address) - base_) % bytes_;
    return static_cast<const char*>(address) + (bytes_ - within);
  }
  bool guards_are_free();  // does this kernel have MADV_GUARD_INSTALL?

  // libtbb may be about to make a coroutine, whose stack is to be from here. False: there is none. And: it
  // has made it, or needed none.
  bool expect_one();
  void came();

 private:
  bool reserve(std::size_t bytes);
  bool open_next();
  bool install_guard(std::uintptr_t stack);

  std::uintptr_t base_ = 0;       // written once, under the lock, before any stack is out
  std::size_t bytes_ = 0;
  std::uint32_t all_ = 0;         // stacks in the range
  std::uint32_t expected_ = 0;
  bool asked_ = false;            // before there was a range: by the first, which makes it
  std::uint32_t opened_ = 0;      // stacks below were made usable
  std::uint32_t free_ = none;     // the one given back last: the warmest
  std::uint32_t free_count_ = 0;
  sys::Lock lock_;                // held over calls of the kernel that make stacks usable: hence one to sleep on
  int guard_ = 0;                 // 1 MADV_GUARD_INSTALL, -1 mprotect, 0 not asked yet

  static constexpr std::uint32_t none = ~0u;
  static constexpr std::uint32_t warm_stacks = 4096;
  static constexpr std::uint32_t opened_at_once = 32;
  static std::uint32_t next_[most];
};

}  // namespace weir::tbb
