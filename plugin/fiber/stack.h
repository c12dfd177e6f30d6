// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sys/lock.h"

namespace weir::fiber {

struct Slab;

// A stack for one task. Memory is reserved, not used: a page is there once it was touched.
struct Stack {
  char* low;   // the first usable byte; a guard page lies below
  char* high;  // one past the last
  Stack* next;
  Slab* slab;  // what it was cut from
};

// Stacks of one size. Each user has a pool of its own: what one takes for enough need not be for another.
class StackPool {
 public:
  constexpr StackPool() = default;

  // Before the first take().
  void set_bytes(std::size_t bytes);
  std::size_t bytes() const { return bytes_; }

  // nullptr when there is no memory, or the kernel's limit on mappings is near. Recently given ones first: their pages
  // are warm. From any thread; never blocks for long.
  Stack* take();
  void give(Stack* stack);

  // Gives the pages of all but some unused stacks back to the kernel. For a moment when few tasks are under way: a slab is
  // given back as a whole, when none of its stacks is in use.
  void trim();

  // In the child, alone: another thread of the parent's may have been at it. What it had free is left unused.
  void after_fork();

 private:
  bool add_slab();  // under the lock, as the next
  Stack* detach_surplus();

  sys::Lock lock_;  // held over calls of the kernel: hence one to sleep on
  std::size_t bytes_ = 4u << 20;
  Stack* warm_ = nullptr;  // may have touched pages
  Stack* cold_ = nullptr;  // have none
  int warm_count_ = 0;
  Slab* slabs_ = nullptr;
  bool has_no_more_ = false;  // until one is given back
  bool trimming_ = false;
};

}  // namespace weir::fiber
