// SPDX-License-Identifier: Apache-2.0
// mmap, mprotect and munmap as libtbb's coroutines use them: PROT_NONE first, then all but the guard pages opened.
#include "tbb_ext/machine/memory.h"

#include <sys/mman.h>

#include "tbb_ext/machine/libtbb.h"
#include "tbb_ext/machine/next.h"
#include "tbb_ext/machine/stack_end.h"
#include "sys/raw.h"

namespace weir::tbb {

using sys::raw;
using sys::word;

constinit Stacks stacks;

namespace {

constinit Next<void*(void*, std::size_t, int, int, int, off_t)> next_mmap{"mmap"};
constinit Next<int(void*, std::size_t, int)> next_mprotect{"mprotect"};
constinit Next<int(void*, std::size_t)> next_munmap{"munmap"};

constexpr std::size_t guard = 4096;

bool is_stack(std::size_t bytes, int rights, int flags) {
  return rights == PROT_NONE && (flags & MAP_STACK) && bytes >= 16 * guard && bytes % guard == 0;
}

void* map(void* hint, std::size_t bytes, int rights, int flags, int fd, off_t offset) {
  if (auto next = next_mmap.known()) return next(hint, bytes, rights, flags, fd, offset);
  return reinterpret_cast<void*>(libc_result(raw(SYS_mmap, word(hint), bytes, rights, flags, fd, offset)));
}

// One of ours, or, where there is none, a new one.
void* map_stack(std::size_t bytes, int rights, int flags) {
  if (void* stack = stacks.take(bytes)) return stack;
  void* stack = map(nullptr, bytes, rights, flags, -1, 0);
  if (stack != MAP_FAILED) note_stack(stack, static_cast<char*>(stack) + bytes - guard);
  return stack;
}

}  // namespace

void find_next_memory() {
  next_mmap.function();
  next_mprotect.function();
  next_munmap.function();
}

}  // namespace weir::tbb

using namespace weir::tbb;

#define WEIR_EXPORT extern "C" __attribute__((visibility("default")))

WEIR_EXPORT void* mmap(void* hint, std::size_t bytes, int rights, int flags, int fd, off_t offset) noexcept {
  if (from_libtbb(__builtin_return_address(0)) && is_stack(bytes, rights, flags)) return map_stack(bytes, rights, flags);
  return map(hint, bytes, rights, flags, fd, offset);
}
WEIR_EXPORT void* mmap64(void* hint, std::size_t bytes, int rights, int flags, int fd, off_t offset) noexcept
    __attribute__((alias("mmap")));

WEIR_EXPORT int mprotect(void* at, std::size_t bytes, int rights) noexcept {
  if (from_libtbb(__builtin_return_address(0)) && stacks.owns(at)) return 0;  // opened when it was made
  if (auto next = next_mprotect.known()) return next(at, bytes, rights);
  return static_cast<int>(libc_result(raw(SYS_mprotect, word(at), bytes, rights)));
}

WEIR_EXPORT int munmap(void* at, std::size_t bytes) noexcept {
  if (from_libtbb(__builtin_return_address(0)) && stacks.give(at)) return 0;
  if (auto next = next_munmap.known()) return next(at, bytes);
  return static_cast<int>(libc_result(raw(SYS_munmap, word(at), bytes)));
}
