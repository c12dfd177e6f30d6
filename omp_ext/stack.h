// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::omp {

// A stack for one task. Memory is reserved, not used: a page is there once it was touched.
struct Stack {
  char* low;   // the first usable byte; a guard page lies below
  char* high;  // one past the last
  Stack* next;
};

// The size of every stack from now on; called once, before the first take_stack.
void set_stack_bytes(std::size_t bytes);
std::size_t stack_bytes();

// nullptr when there is no memory, or the kernel's limit on mappings is near. Recently given ones first: their pages are
// warm. From any thread; never blocks for long.
Stack* take_stack();
void give_stack(Stack* stack);

// Gives the pages of all but some unused stacks back to the kernel. For a moment when few tasks are under way.
void trim_stacks();

}  // namespace weir::omp
