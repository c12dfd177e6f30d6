// SPDX-License-Identifier: Apache-2.0
#include "meter/trace.h"

#include <new>

#include <sys/mman.h>

#include "base/clock.h"
#include "meter/counters.h"
#include "sys/process.h"
#include "sys/raw.h"

namespace weir::meter {

constinit std::atomic<bool> tracing{false};
constinit std::atomic<void (*)(Trail&)> on_full_trail{nullptr};
constinit std::atomic<void (*)()> on_first_event{nullptr};
constinit std::atomic<std::uint64_t> trace_mask{0};

namespace {

constinit std::atomic<Trail*> all{nullptr};
constinit std::atomic<std::uint64_t> numbers{0};

Trail* reuse() {
  for (Trail* trail = all.load(std::memory_order_acquire); trail; trail = trail->next) {
    bool free = false;
    if (!trail->in_use.load(std::memory_order_relaxed) &&
        trail->in_use.compare_exchange_strong(free, true, std::memory_order_acquire))
      return trail;
  }
  return nullptr;
}

// By mmap: malloc may be the program's and may be what is calling us.
Trail* make() {
  Result memory = sys::raw(SYS_mmap, 0, sizeof(Trail), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (failed(memory)) return nullptr;
  auto* trail = new (reinterpret_cast<void*>(memory)) Trail;
  trail->in_use.store(true, std::memory_order_relaxed);
  trail->number = numbers.fetch_add(1, std::memory_order_relaxed) + 1;
  trail->next = all.load(std::memory_order_relaxed);
  while (!all.compare_exchange_weak(trail->next, trail, std::memory_order_release, std::memory_order_relaxed)) {}
  return trail;
}

__attribute__((noinline)) Trail* first_time(base::Thread& thread) {
  if (base::in_signal_handler()) return nullptr;
  mine();  // so that leave() is called when the thread ends
  Trail* trail = reuse();
  if (!trail) trail = make();
  thread.trail = trail;
  if (!trail) return nullptr;
  trail->place.store(thread.place, std::memory_order_relaxed);
  if (auto* tell = on_first_event.load(std::memory_order_acquire)) tell();
  return trail;
}

Trail* my_trail() {
  base::Thread& thread = base::self();
  return thread.trail ? static_cast<Trail*>(thread.trail) : first_time(thread);
}

std::int32_t my_tid() {
  base::Thread& thread = base::self();
  if (!thread.tid) thread.tid = sys::thread_id();
  return thread.tid;
}

// Evenly among things that alternate, and each mask's choice within that of the one before.
bool chosen(std::uint64_t number, std::uint64_t mask) { return !((number * 0x9e3779b97f4a7c15ull >> 32) & mask); }

// A full trail is emptied here and now. With nobody who would, the event is lost.
void push(Trail& trail, const TraceEvent& event) {
  std::uint32_t head = trail.head.load(std::memory_order_relaxed);
  if (head - trail.tail.load(std::memory_order_acquire) == Trail::size) {
    if (auto* take = on_full_trail.load(std::memory_order_acquire)) take(trail);
    if (head - trail.tail.load(std::memory_order_acquire) == Trail::size) return;
  }
  trail.events[head % Trail::size] = event;
  trail.head.store(head + 1, std::memory_order_release);
}

}  // namespace

Traced trace_begin(Track track, const char* name, std::int64_t argument) {
  Trail* trail = my_trail();
  if (!trail || trail->busy) return 0;
  std::uint64_t number = trail->begun[static_cast<int>(track)]++;
  if (!chosen(number, trace_mask.load(std::memory_order_relaxed))) return 0;
  if (track == Track::core) {
    unsigned processor = 0;
    sys::raw(SYS_getcpu, sys::word(&processor), 0, 0);
    argument = processor;
  }
  Traced id = trail->number << 40 | static_cast<std::uint64_t>(track) << 36 | (number & 0xfffffffffull);
  trail->busy = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  push(*trail, {base::now_ns(), id, name, argument, my_tid(), track, true});
  std::atomic_signal_fence(std::memory_order_seq_cst);
  trail->busy = false;
  return id;
}

void trace_end(Traced traced, Track track, const char* name, std::int64_t result) {
  Trail* trail = my_trail();
  if (!trail || trail->busy) return;
  trail->busy = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  push(*trail, {base::now_ns(), traced, name, result, my_tid(), track, false});
  std::atomic_signal_fence(std::memory_order_seq_cst);
  trail->busy = false;
}

Trail* trails() { return all.load(std::memory_order_acquire); }

void leave_trail() {
  base::Thread& thread = base::self();
  auto* trail = static_cast<Trail*>(thread.trail);
  thread.trail = nullptr;
  if (trail) trail->in_use.store(false, std::memory_order_release);
}

void forget_trails() {
  for (Trail* trail = all.load(std::memory_order_acquire); trail; trail = trail->next) {
    trail->tail.store(trail->head.load(std::memory_order_relaxed), std::memory_order_relaxed);
    trail->named = 0;
    trail->busy = false;
    trail->in_use.store(false, std::memory_order_relaxed);
  }
  base::Thread& thread = base::self();
  thread.trail = nullptr;
  thread.traced_core = thread.seat.traced = 0;
}

}  // namespace weir::meter
