// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/machine/coming.h"

#include <atomic>

#include "base/clock.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "meter/trace.h"
#include "tbb_ext/machine/first_task.h"
#include "tbb_ext/machine/processors.h"
#include "tbb_ext/machine/stack_end.h"

namespace weir::tbb {
namespace {

// What a thread's record points to. For a worker, into its own row; at how many questions of a loop's partitioner come next.
constexpr int questions = 2;
constinit char worker_marks[questions + 1], other_marks[questions + 1];

char* row_of(const base::Thread& thread) {
  auto* mark = static_cast<char*>(thread.tbb);
  return mark >= worker_marks && mark <= worker_marks + questions ? worker_marks : other_marks;
}

// Long, but not for ever: should cores be held by threads that wait for what this one would do, the program goes on.
constinit std::atomic<std::int64_t> patience_ns{5 * base::ns_per_s};

// Who waits within a task comes to look whether that is over. Else others may hold their cores to spin for what that task does next.
bool waits_within_task(const base::Thread& thread) { return __builtin_frame_address(0) < thread.tbb_wait; }
constexpr std::int64_t between_looks_ns = 2 * base::ns_per_ms;

constexpr const char* part = "oneTBB worker";

}  // namespace

void coming() {
  if (!told_more()) return;
  if (!gate::the_gate.has_stand_ins.load(std::memory_order_relaxed)) return gate::take_core_at_once();
  base::Thread& thread = base::self();
  if (row_of(thread) != worker_marks || waits_within_task(thread)) return gate::take_core();
  if (thread.holds_core) return;
  thread.holds_core = true;
  gate::the_gate.cores.take(patience_ns.load(std::memory_order_relaxed), gate::Cores::looks_for_work);
  meter::core_taken();
}

void come_soon() { patience_ns.store(10 * base::ns_per_ms, std::memory_order_relaxed); }

void going() { gate::give_core(); }

bool idling() {
  base::Thread& thread = base::self();
  gate::Gate& gate = gate::the_gate;
  if (!thread.holds_core) return false;
  if (gate.cores.wanted()) {
    going();
    coming();
    return false;
  }
  // Not with a lock held: who goes on may want it.
  if (row_of(thread) != worker_marks || thread.lock_depth > 0 || !gate.idle_makes_way()) return false;
  thread.holds_core = false;
  meter::core_given();
  bool made_way = gate.cores.make_way(waits_within_task(thread) ? between_looks_ns : patience_ns.load(std::memory_order_relaxed));
  thread.holds_core = true;
  meter::core_taken();
  return made_way;
}

void stand_ins(int present) { gate::the_gate.has_stand_ins.store(present, std::memory_order_relaxed); }

bool is_worker() { return row_of(base::self()) == worker_marks; }

void become_worker() {
  base::self().tbb = worker_marks;
  note_own_stack(nullptr);
}

void worker_is_up() {
  base::Thread& thread = base::self();
  if (row_of(thread) == worker_marks && !thread.seat.traced) thread.seat.traced = meter::begins(meter::Track::region, part);
}

void worker_sleeps() {
  base::Thread& thread = base::self();
  if (!thread.seat.traced || row_of(thread) != worker_marks) return;
  meter::ends(thread.seat.traced, meter::Track::region, part);
  thread.seat.traced = 0;
}

void loop_begins(void* first_task) {
  base::Thread& thread = base::self_unsuspended();
  *static_cast<void**>(first_task) = nullptr;  // no task yet
  thread.tbb = row_of(thread) + questions;
  thread.tbb_first_task = first_task;
  thread.tbb_told = 0;
}

void loop_has_begun() {
  base::Thread& thread = base::self_unsuspended();
  thread.tbb = row_of(thread);
}

bool partitioner_asks() {
  base::Thread& thread = base::self_unsuspended();
  auto* mark = static_cast<char*>(thread.tbb);
  if (!mark || mark == row_of(thread)) return false;
  bool of_a_loop = cut_of(thread.tbb_first_task) != Cut::no_loop;
  thread.tbb = of_a_loop ? mark - 1 : row_of(thread);
  return of_a_loop;
}

bool partitioner_has_asked() {
  const base::Thread& thread = base::self_unsuspended();
  return thread.tbb == row_of(thread) + questions - 1;
}

int told_to_partitioner(int said) {
  base::Thread& thread = base::self_unsuspended();
  if (!thread.tbb_told)
    thread.tbb_told = cut_of(thread.tbb_first_task) == Cut::free ? concurrency_of_loop(said) : concurrency(said);
  return thread.tbb_told;
}

}  // namespace weir::tbb
