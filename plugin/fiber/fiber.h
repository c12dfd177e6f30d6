// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "fiber/stack.h"

namespace weir::fiber {

// Has the cache lines of what will soon be used fetched meanwhile. (Of a function that does no more than __builtin_prefetch,
// GCC 12 takes calls for useless, and drops them.)
inline void fetch(const void* from, std::size_t bytes) {
  constexpr std::size_t line = 64;
  for (std::size_t at = 0; at < bytes; at += line) asm volatile("prefetcht0 %0" : : "m"(static_cast<const char*>(from)[at]));
}

// Code on a stack of its own. It runs on the thread that enters it, until it leaves or is done.
//
//   prepared --enter()--> running --leave()--> left --enter()--> running ... --body returns--> over
//
// enter() and leave() are one switch of stacks each: no system call, the signal mask is the thread's. The floating
// point control words travel with the code.
class Fiber {
 public:
  // body(argument) will run on `stack`, which stays the caller's.
  void prepare(Stack* stack, void (*body)(void*), void* argument);

  // Returns when the code left or its body returned: did it return?
  bool enter();

  // From inside only: back to who entered. Returns at the next enter().
  void leave();

  Stack* stack() const { return stack_; }

  // It left, and will soon be entered: fetches the frames that it goes on in.
  void fetch() const {
    constexpr std::size_t frames = 768;
    if (inside_) fiber::fetch(inside_, frames);
  }

  // Does the address lie on the stack?
  bool holds(const void* address) const {
    return stack_ && address >= stack_->low && address < stack_->high;
  }

 private:
  static void first(void* from, void* self);
  void arrived(void* outside, void* from_fake);

  void* inside_ = nullptr;   // where the code left
  void* outside_ = nullptr;  // where who entered waits
  Stack* stack_ = nullptr;
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  bool over_ = false;
  void* tsan_fiber_ = nullptr;
  void* tsan_outside_ = nullptr;
  const void* outside_bottom_ = nullptr;  // of the stack of who entered, as ASan told
  unsigned long outside_bytes_ = 0;
};

}  // namespace weir::fiber
