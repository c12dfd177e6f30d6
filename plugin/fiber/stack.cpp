// SPDX-License-Identifier: Apache-2.0
#include "fiber/stack.h"

#include <sys/mman.h>

#include <atomic>

#include "sys/raw.h"
#include "sys/valgrind.h"

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

namespace weir::fiber {
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

// Of all pools, for the limit is the process's. Relaxed: a few too many do no harm.
constinit std::atomic<int> guarded_by_mprotect{0};
constinit std::atomic<bool> guards_cost_mappings{false};

bool guard(char* at) {
  if (!guards_cost_mappings.load(std::memory_order_relaxed)) {
    if (!sys::raw(SYS_madvise, sys::word(at), page, MADV_GUARD_INSTALL)) return true;
    guards_cost_mappings.store(true, std::memory_order_relaxed);
  }
  if (guarded_by_mprotect.fetch_add(1, std::memory_order_relaxed) >= most_by_mprotect) {
    guarded_by_mprotect.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  return !sys::raw(SYS_mprotect, sys::word(at), page, PROT_NONE);
}

}  // namespace

bool StackPool::add_slab() {
  std::size_t total = slab_stacks * bytes_;
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
    char* base = reinterpret_cast<char*>(area) + i * bytes_;
    if (!guard(base)) continue;
    Stack& stack = slab->stacks[i];
    stack = {base + page, base + bytes_, cold_};
    cold_ = &stack;
    sys::tell_valgrind_of_stack(stack.low, stack.high);
    any = true;
  }
  return any;
}

void StackPool::set_bytes(std::size_t wanted) {
  constexpr std::size_t least = 64u << 10;
  bytes_ = ((wanted < least ? least : wanted) + 2 * page - 1) / page * page;
}

Stack* StackPool::take() {
  base::SpinScope locked(lock_);
  if (warm_) {
    Stack* stack = warm_;
    warm_ = stack->next;
    --warm_count_;
    return stack;
  }
  if (!cold_ && !add_slab()) return nullptr;
  Stack* stack = cold_;
  cold_ = stack->next;
  return stack;
}

void StackPool::give(Stack* stack) {
  base::SpinScope locked(lock_);
  stack->next = warm_;
  warm_ = stack;
  ++warm_count_;
}

void StackPool::trim() {
  Stack* surplus = nullptr;
  {
    base::SpinScope locked(lock_);
    if (warm_count_ <= kept_warm) return;
    Stack* last_kept = warm_;
    for (int i = 1; i < kept_warm; ++i) last_kept = last_kept->next;
    surplus = last_kept->next;
    last_kept->next = nullptr;
    warm_count_ = kept_warm;
  }
  while (surplus) {
    Stack* stack = surplus;
    surplus = stack->next;
    sys::raw(SYS_madvise, sys::word(stack->low), stack->high - stack->low, MADV_DONTNEED);
    base::SpinScope locked(lock_);
    stack->next = cold_;
    cold_ = stack;
  }
}

}  // namespace weir::fiber
