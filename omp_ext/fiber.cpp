// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/fiber.h"

#include <cstddef>

// Boost.Context's two routines in assembly; declared here since its headers want a C++ run time. The first word of what
// a switch hands over is the place it came from.
extern "C" {
struct weir_transfer {
  void* from;
  void* data;
};
weir_transfer jump_fcontext(void* to, void* data);
void* make_fcontext(void* stack_top, std::size_t bytes, void (*first)(void* from, void* data));

// There when the program is built with a sanitizer.
__attribute__((weak)) void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t bytes);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, std::size_t* bytes);
__attribute__((weak)) void* __tsan_get_current_fiber();
__attribute__((weak)) void* __tsan_create_fiber(unsigned flags);
__attribute__((weak)) void __tsan_destroy_fiber(void* fiber);
__attribute__((weak)) void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}

namespace weir::omp {

void Fiber::prepare(Stack* stack, void (*body)(void*), void* argument) {
  stack_ = stack;
  body_ = body;
  argument_ = argument;
  over_ = false;
  inside_ = make_fcontext(stack->high, stack->high - stack->low, first);
  if (__tsan_create_fiber) tsan_fiber_ = __tsan_create_fiber(0);
}

bool Fiber::enter() {
  void* fake = nullptr;
  if (__sanitizer_start_switch_fiber) __sanitizer_start_switch_fiber(&fake, stack_->low, stack_->high - stack_->low);
  if (__tsan_switch_to_fiber) {
    tsan_outside_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(tsan_fiber_, 0);
  }
  weir_transfer back = jump_fcontext(inside_, this);
  inside_ = back.from;
  if (__sanitizer_finish_switch_fiber) __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
  if (!over_) return false;
  if (__tsan_destroy_fiber) __tsan_destroy_fiber(tsan_fiber_);
  return true;
}

void Fiber::arrived(void* outside, void* fake) {
  outside_ = outside;
  if (__sanitizer_finish_switch_fiber) __sanitizer_finish_switch_fiber(fake, &outside_bottom_, &outside_bytes_);
}

void Fiber::leave() {
  void* fake = nullptr;
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(over_ ? nullptr : &fake, outside_bottom_, outside_bytes_);
  if (__tsan_switch_to_fiber) __tsan_switch_to_fiber(tsan_outside_, 0);
  weir_transfer back = jump_fcontext(outside_, nullptr);
  arrived(back.from, fake);
}

__attribute__((noinline)) void Fiber::first(void* from, void* self_) {
  // Nobody called this frame: debuggers and unwinders stop here.
  asm volatile(".cfi_undefined rip");
  auto* self = static_cast<Fiber*>(self_);
  self->arrived(from, nullptr);
  self->body_(self->argument_);
  self->over_ = true;
  self->leave();
  __builtin_trap();
}

}  // namespace weir::omp
