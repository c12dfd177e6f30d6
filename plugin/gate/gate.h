// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/thread.h"
#include "gate/cores.h"
#include "gate/memory.h"
#include "gate/permits.h"
#include "gate/pieces.h"
#include "gate/reserve.h"
#include "gate/waits.h"
#include "meter/reason.h"

namespace weir::gate {

// Of a thread that yields.
enum class Idle {
  no,        // it is the program that yields
  yields,    // a runtime that found no work
  made_way,  // likewise, and others had its core meanwhile
};

// The process's gate, found in one place. api/instance sets its limits.
struct Gate {
  Permits permits;
  Cores cores;
  Reserve reserve;
  Pieces pieces;
  Waits waits;
  Memory memory;
  std::atomic<bool> locks_are_tried_for{false};  // by tasks, for a time: with more of them at it some would get none
  std::atomic<int> storage_fd{-1};  // one that a caller wanted a permit for: tells which device is waited for
  std::atomic<std::int64_t> wait_ns{100'000'000};  // the bound of a wait in the gate while nothing moves
  // Told that a thread which computed is about to block, the `parked`th of them now: a stand-in could have its core. More
  // than `most` of them are of no use: calls on storage wait for permits.
  std::atomic<void (*)(std::int64_t parked, std::int64_t most)> on_blocked{nullptr};
  // Has oneTBB more threads than cores now? Those beyond have nothing new at hand, and go on first with what is ready.
  std::atomic<bool> has_stand_ins{false};
  // Asked when a thread yields.
  std::atomic<Idle (*)(const void* caller)> on_yield{nullptr};
  // Waits by a bare futex of the program's, without a limit, as libc's syscall() would.
  std::atomic<long (*)(std::uint32_t* word, std::uint32_t value, int operation, const void* caller)> on_futex_wait{nullptr};
  // Asked before a yield: true when the thread has slept instead.
  std::atomic<bool (*)(const void* caller)> on_idle{nullptr};

  // As many as there are cores are to go on, one call after the other as without us.
  bool lets_few_go_on() const { return memory.is_short() || locks_are_tried_for.load(std::memory_order_relaxed); }
  meter::Reason why_few() const { return memory.is_short() ? meter::Reason::memory : meter::Reason::few_at_once; }

  // A yield for lack of work took so long. Where other programs compute on these cores that is a slice of theirs: who looks
  // for work had better sleep, and leave its turn to the next, than yield.
  void idle_yielded(std::int64_t took_ns);
  // Is one to do so instead of its next yield? As often as costs little beside what such yields took.
  bool idle_makes_way();

 private:
  std::atomic<std::int64_t> slow_yields_ns_{0};
};
extern Gate the_gate;

// A call on `fd` is about to ask for a permit.
inline void wants_permit(int fd) {
  if (the_gate.storage_fd.load(std::memory_order_relaxed) < 0) the_gate.storage_fd.store(fd, std::memory_order_relaxed);
}

// What the calling thread holds stands in its record: both may be called in any state, as often as you like.
void take_core();  // may wait, at most the bound; not at all when the thread holds a lock
void take_core_at_once();  // goes on over the limit if need be
void give_core();
// Where memory is short those go first that have begun something, and have memory of it.
void take_core_to_begin();
void wait_to_begin_piece();  // who has a core
// The calling thread sleeps meanwhile, and has a core after it if it had one before.
template <typename Sleep>
void without_core(Sleep sleep) {
  bool had_core = base::self_unsuspended().holds_core;
  if (had_core) give_core();
  sleep();
  if (had_core) take_core();
}
void let_another_begin();  // where the core is idle now, another thread waits for that, and would have a permit

// The same around a call that blocks. Where threads compute but shortly between such calls, it goes on at once after it.
void give_core_to_wait(std::int64_t now_ns);
std::int64_t take_core_back(std::int64_t now_ns);  // returns the time then

// After a call of a team's thread that was done at once, as were some before it: where more compute than there are cores,
// it waits for one as if the call had blocked. Else a team whose calls never block would go on with all its stand-ins at once.
void stand_back();
// The same of a thread whose program yields again and again: it spins for what another has, or will do once it has a core. True: one
// that has something to do had the core meanwhile.
bool make_way_while_spinning();
// Is it time for that? Every few yields that were counted (path/yielding.h), with a core that another may want.
inline bool has_spun_for_a_while() {
  constexpr std::int32_t few = 8;
  const base::Thread& thread = base::self_unsuspended();
  return thread.holds_core && thread.yields % few == few - 1;
}
// The same of a thread that gave back its last lock: with that held it did not wait for a core after a call. And of one that comes from
// a call in which the kernel worked for it, and that others would block in: a wide team's threads all have cores until their first one.
void stand_back_where_crowded();

}  // namespace weir::gate
