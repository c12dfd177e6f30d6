// SPDX-License-Identifier: Apache-2.0
#include "fiber/stack.h"

#include <sys/mman.h>

#include <atomic>

#include "sys/addresses.h"
#include "sys/raw.h"
#include "sys/valgrind.h"

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

namespace weir::fiber {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t slab_stacks = 64;
// With all stacks alike, what tasks keep at their tops would compete for a few lines of each cache. So tops are at one of
// these many places within their page.
constexpr std::size_t tops = 16;
// Slabs of unused stacks that keep their pages over a trim.
constexpr int kept_slabs = 2;
// mprotect splits a mapping in two for each guard page; 65530 mappings are all a process may have.
constexpr int most_by_mprotect = 16'000;

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

// Many stacks in one mapping: where guards need no mapping of their own, a hundred thousand stacks are few mappings.
struct Slab {
  Stack stacks[slab_stacks];
  char* area;
  Slab* next;
  int count;
  int in_use;
  enum { stays, goes, kept } at_trim;
};

// How many stacks went from one list to the other, their slabs being given back.
static int move_going(Stack*& from, Stack*& to) {
  int moved = 0;
  for (Stack** at = &from; *at;) {
    Stack* stack = *at;
    if (stack->slab->at_trim != Slab::goes) {
      at = &stack->next;
      continue;
    }
    *at = stack->next;
    stack->next = to;
    to = stack;
    ++moved;
  }
  return moved;
}

bool StackPool::add_slab() {
  std::int64_t count = sys::take_stacks(slab_stacks, static_cast<std::int64_t>(bytes_));
  if (!count) return false;
  Result area;
  std::size_t total;
  while (true) {
    total = static_cast<std::size_t>(count) * bytes_;
    area = sys::raw(SYS_mmap, 0, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (!failed(area)) break;
    std::int64_t less = count / 2;
    sys::give_back_stacks(count - less, static_cast<std::int64_t>(bytes_));
    if (!less) return false;
    count = less;
  }
  // Huge pages would make every stack touch 2 MiB.
  sys::raw(SYS_madvise, area, total, MADV_NOHUGEPAGE);
  Result heads = sys::raw(SYS_mmap, 0, sizeof(Slab), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (failed(heads)) {
    sys::raw(SYS_munmap, area, total);
    return false;
  }
  auto* slab = reinterpret_cast<Slab*>(heads);
  slab->area = reinterpret_cast<char*>(area);
  slab->count = static_cast<int>(count);
  slab->next = slabs_;
  slabs_ = slab;
  bool any = false;
  for (auto i = static_cast<std::size_t>(count); i-- > 0;) {
    char* base = slab->area + i * bytes_;
    if (!guard(base)) continue;
    Stack& stack = slab->stacks[i];
    stack = {base + page, base + bytes_ - i % tops * (page / tops), cold_, slab};
    cold_ = &stack;
    sys::tell_valgrind_of_stack(stack.low, stack.high);
    any = true;
  }
  if (any) return true;
  slabs_ = slab->next;
  sys::raw(SYS_munmap, area, total);
  sys::raw(SYS_munmap, heads, sizeof(Slab));
  has_no_more_ = true;  // not asked again for each task
  return false;
}

void StackPool::set_bytes(std::size_t wanted) {
  constexpr std::size_t least = 64u << 10;
  bytes_ = ((wanted < least ? least : wanted) + 3 * page - 1) / page * page;  // and a guard, and room for the tops
}

Stack* StackPool::take() {
  sys::LockScope locked(lock_);
  if (!warm_ && !cold_ && (has_no_more_ || !add_slab())) return nullptr;
  Stack*& list = warm_ ? warm_ : cold_;
  Stack* stack = list;
  if (warm_) --warm_count_;
  list = stack->next;
  ++stack->slab->in_use;
  return stack;
}

void StackPool::give(Stack* stack) {
  sys::LockScope locked(lock_);
  stack->next = warm_;
  warm_ = stack;
  has_no_more_ = false;
  ++warm_count_;
  --stack->slab->in_use;
}

void StackPool::after_fork() {
  lock_.after_fork();
  warm_ = cold_ = nullptr;
  warm_count_ = 0;
  for (Slab* slab = slabs_; slab; slab = slab->next) slab->at_trim = Slab::stays;  // what is in use may be given back
  slabs_ = nullptr;
  has_no_more_ = trimming_ = false;
}

// Off both lists: every stack of the slabs that go, so that none is taken before its slab is gone. Of those that could go, the
// most recently used stay.
Stack* StackPool::detach_surplus() {
  for (Slab* slab = slabs_; slab; slab = slab->next) slab->at_trim = Slab::stays;
  int kept = 0;
  for (Stack* stack = warm_; stack; stack = stack->next) {
    Slab& slab = *stack->slab;
    if (!slab.in_use && slab.at_trim == Slab::stays) slab.at_trim = kept++ < kept_slabs ? Slab::kept : Slab::goes;
  }
  Stack* surplus = nullptr;
  warm_count_ -= move_going(warm_, surplus);
  move_going(cold_, surplus);
  return surplus;
}

void StackPool::trim() {
  Stack* surplus = nullptr;
  {
    sys::LockScope locked(lock_);
    if (trimming_ || warm_count_ <= kept_slabs * static_cast<int>(slab_stacks)) return;
    trimming_ = true;
    surplus = detach_surplus();
  }
  // One call a slab: each makes every core forget the pages, by an interrupt. Guards stay.
  for (Stack* stack = surplus; stack; stack = stack->next) {
    Slab& slab = *stack->slab;
    if (slab.at_trim != Slab::goes) continue;
    sys::raw(SYS_madvise, sys::word(slab.area), static_cast<std::size_t>(slab.count) * bytes_, MADV_DONTNEED);
    slab.at_trim = Slab::stays;
  }
  sys::LockScope locked(lock_);
  while (surplus) {
    Stack* stack = surplus;
    surplus = stack->next;
    stack->next = cold_;
    cold_ = stack;
  }
  trimming_ = false;
}

}  // namespace weir::fiber
