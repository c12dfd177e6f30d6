// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/machine/stacks.h"

#include <sys/mman.h>

#include "sys/addresses.h"
#include "sys/raw.h"

namespace weir::tbb {
namespace {

constexpr int guard_install = 102;  // MADV_GUARD_INSTALL, Linux 6.13
constexpr std::size_t page = 4096;

bool madvise(std::uintptr_t at, std::size_t bytes, int advice) {
  return sys::raw(SYS_madvise, static_cast<long>(at), static_cast<long>(bytes), advice) == 0;
}
bool protect(std::uintptr_t at, std::size_t bytes, int rights) {
  return sys::raw(SYS_mprotect, static_cast<long>(at), static_cast<long>(bytes), rights) == 0;
}

}  // namespace

constinit std::uint32_t Stacks::next_[most];

bool Stacks::guards_are_free() {
  if (!guard_) {
    Result probe = sys::raw(SYS_mmap, 0, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    guard_ = probe > 0 && madvise(static_cast<std::uintptr_t>(probe), page, guard_install) ? 1 : -1;
    if (probe > 0) sys::raw(SYS_munmap, probe, page);
  }
  return guard_ > 0;
}

bool Stacks::reserve(std::size_t bytes) {
  if (base_) return bytes == bytes_;
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  std::int64_t count = sys::take_stacks(most, static_cast<std::int64_t>(bytes));
  if (!count) return false;
  std::size_t whole = bytes * static_cast<std::size_t>(count);
  Result range = sys::raw(SYS_mmap, 0, static_cast<long>(whole), PROT_NONE, flags, -1, 0);
  if (failed(range)) return false;
  // A huge page would put 2 MiB under a task that touches 8 KiB.
  madvise(static_cast<std::uintptr_t>(range), whole, MADV_NOHUGEPAGE);
  guards_are_free();
  all_ = static_cast<std::uint32_t>(count);
  bytes_ = bytes;
  base_ = static_cast<std::uintptr_t>(range);
  return true;
}

// One page below; above lies the guard of the next, or what is not opened yet.
bool Stacks::install_guard(std::uintptr_t stack) {
  return (guard_ > 0 && madvise(stack, page, guard_install)) || protect(stack, page, PROT_NONE);
}

bool Stacks::open_next() {
  std::uint32_t count = all_ - opened_ < opened_at_once ? all_ - opened_ : opened_at_once;
  if (!count || !protect(base_ + opened_ * bytes_, count * bytes_, PROT_READ | PROT_WRITE)) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!install_guard(base_ + opened_ * bytes_)) return i > 0;
    next_[opened_] = free_;
    free_ = opened_++;
    ++free_count_;
  }
  return true;
}

// libtbb maps a stack of its own where we have none, and where it can't, it goes on without.
bool Stacks::expect_one() {
  sys::LockScope locked(lock_);
  bool is_first = !base_ && !asked_;
  asked_ = true;
  if (!is_first && free_count_ <= expected_ && !open_next()) return false;
  ++expected_;
  return true;
}

void Stacks::came() {
  sys::LockScope locked(lock_);
  if (expected_) --expected_;
}

void* Stacks::take(std::size_t bytes) {
  lock_.lock();
  void* stack = nullptr;
  if (reserve(bytes) && (free_ != none || open_next())) {
    stack = reinterpret_cast<void*>(base_ + free_ * bytes_);
    free_ = next_[free_];
    --free_count_;
  }
  lock_.unlock();
  return stack;
}

bool Stacks::give(void* stack) {
  if (!owns(stack)) return false;
  auto at = reinterpret_cast<std::uintptr_t>(stack);
  auto index = static_cast<std::uint32_t>((at - base_) / bytes_);
  // Nobody else has this stack: its pages can go before it is free again.
  if (__atomic_load_n(&free_count_, __ATOMIC_RELAXED) >= warm_stacks)
    madvise(at + page, bytes_ - 2 * page, MADV_DONTNEED);
  lock_.lock();
  next_[index] = free_;
  free_ = index;
  ++free_count_;
  lock_.unlock();
  return true;
}

}  // namespace weir::tbb
