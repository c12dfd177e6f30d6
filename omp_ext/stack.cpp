// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/stack.h"

#include <sys/mman.h>

#include <atomic>

#include "omp_ext/spin.h"
#include "sys/raw.h"

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

namespace weir::omp {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t slab_stacks = 64;
// Unused stacks that keep their pages over a trim.
constexpr int kept_warm = 128;
// mprotect splits a mapping in two for each guard page; 65530 mappings are all a process may have.
constexpr int most_by_mprotect = 16'000;

// Many stacks in one mapping: where guards need no mapping of their own, a hundred thousand stacks are few mappings.
struct Slab {
  Stack stacks[slab_stacks];
};

constinit Spin lock;
constinit std::size_t bytes = 4u << 20;
constinit Stack* warm = nullptr;  // may have touched pages
constinit Stack* cold = nullptr;  // have none
constinit int warm_count = 0;
constinit int guarded_by_mprotect = 0;
constinit bool guards_cost_mappings = false;

bool guard(char* at) {
  if (!guards_cost_mappings) {
    if (!sys::raw(SYS_madvise, sys::word(at), page, MADV_GUARD_INSTALL)) return true;
    guards_cost_mappings = true;
  }
  if (guarded_by_mprotect >= most_by_mprotect) return false;
  ++guarded_by_mprotect;
  return !sys::raw(SYS_mprotect, sys::word(at), page, PROT_NONE);
}

// Under the lock.
bool add_slab() {
  std::size_t total = slab_stacks * bytes;
  Result area = sys::raw(SYS_mmap, 0, total, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (failed(area)) return false;
  // Huge pages would make every stack touch 2 MiB.
  sys::raw(SYS_madvise, area, total, MADV_NOHUGEPAGE);
  Result heads = sys::raw(SYS_mmap, 0, sizeof(Slab), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (failed(heads)) {
    sys::raw(SYS_munmap, area, total);
    return false;
  }
  auto* slab = reinterpret_cast<Slab*>(heads);
  bool any = false;
  for (std::size_t i = slab_stacks; i-- > 0;) {
    char* base = reinterpret_cast<char*>(area) + i * bytes;
    if (!guard(base)) continue;
    Stack& stack = slab->stacks[i];
    stack = {base + page, base + bytes, cold};
    cold = &stack;
    any = true;
  }
  return any;
}

}  // namespace

void set_stack_bytes(std::size_t wanted) {
  constexpr std::size_t least = 64u << 10;
  bytes = ((wanted < least ? least : wanted) + 2 * page - 1) / page * page;
}

std::size_t stack_bytes() { return bytes; }

Stack* take_stack() {
  SpinScope locked(lock);
  if (warm) {
    Stack* stack = warm;
    warm = stack->next;
    --warm_count;
    return stack;
  }
  if (!cold && !add_slab()) return nullptr;
  Stack* stack = cold;
  cold = stack->next;
  return stack;
}

void give_stack(Stack* stack) {
  SpinScope locked(lock);
  stack->next = warm;
  warm = stack;
  ++warm_count;
}

void trim_stacks() {
  Stack* surplus = nullptr;
  {
    SpinScope locked(lock);
    if (warm_count <= kept_warm) return;
    Stack* last_kept = warm;
    for (int i = 1; i < kept_warm; ++i) last_kept = last_kept->next;
    surplus = last_kept->next;
    last_kept->next = nullptr;
    warm_count = kept_warm;
  }
  while (surplus) {
    Stack* stack = surplus;
    surplus = stack->next;
    sys::raw(SYS_madvise, sys::word(stack->low), stack->high - stack->low, MADV_DONTNEED);
    SpinScope locked(lock);
    stack->next = cold;
    cold = stack;
  }
}

}  // namespace weir::omp
