// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/machine/stack_end.h"

#include <atomic>
#include <cstdint>

#include "base/thread.h"
#include "sys/process.h"

namespace weir::tbb {
namespace {

// libc puts what is a thread's alone at the end of its stack: the thread's pointer says where. Those of threads that have ended stay: whatever
// stack of a thread or of libtbb's has come in their place has its own end here, too, and the nearest one lies on it.
constexpr int most = 512;
constinit std::atomic<std::uintptr_t> ends[most];
constinit std::atomic<bool> more{false};  // than there is room for

void note(std::uintptr_t low, std::uintptr_t end) {
  bool there = false;
  for (auto& row : ends) {
    std::uintptr_t seen = row.load(std::memory_order_relaxed);
    if (!seen && (there || row.compare_exchange_strong(seen, end))) return;
    if (seen <= low || seen > end) continue;
    if (seen != end) row.store(end, std::memory_order_relaxed);  // of one that was there before
    there = true;
  }
  if (!there) more.store(true, std::memory_order_relaxed);
}

// The program's first thread has its stack elsewhere, and much of the program's on it above where it came into libtbb.
constinit std::atomic<std::uintptr_t> first_entry{0};

}  // namespace

void note_own_stack(const void* frame) {
  enum : std::uint8_t { unknown, of_libc_s, the_first_s };
  base::Thread& thread = base::self();
  if (thread.tbb_stack == the_first_s) first_entry.store(reinterpret_cast<std::uintptr_t>(frame), std::memory_order_relaxed);
  if (thread.tbb_stack != unknown) [[likely]] return;
  thread.tbb_stack = sys::thread_id() == sys::process_id() ? the_first_s : of_libc_s;
  if (thread.tbb_stack == the_first_s) return note_own_stack(frame);
  auto end = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
  note(end - 1, end);
}

void note_stack(const void* low, const void* end) { note(reinterpret_cast<std::uintptr_t>(low), reinterpret_cast<std::uintptr_t>(end)); }

const void* end_of_stack(const void* address) {
  constexpr std::uintptr_t most_bytes = std::uintptr_t{1} << 30;
  auto at = reinterpret_cast<std::uintptr_t>(address);
  std::uintptr_t nearest = first_entry.load(std::memory_order_relaxed);
  for (auto& row : ends) {
    std::uintptr_t end = row.load(std::memory_order_relaxed);
    if (!end) break;
    if (end - at < nearest - at) nearest = end;
  }
  return nearest - at < most_bytes && !more.load(std::memory_order_relaxed) ? reinterpret_cast<const void*>(nearest) : nullptr;
}

}  // namespace weir::tbb
