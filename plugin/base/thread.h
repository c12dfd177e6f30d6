// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weir::meter {
struct Counters;
}

namespace weir::base {

// Where the calling thread stands, as the runtimes' observers last said. Bits, since a thread may be in several.
enum Place : std::uint32_t {
  outside = 0,
  in_omp_team = 1u << 0,   // runs an implicit task of a team, or waits in it
  in_omp_task = 1u << 1,   // runs an explicit task on a stack of ours
  in_tbb_arena = 1u << 2,  // entered an arena; libtbb says whether it runs a task
  in_own_worker = 1u << 3, // a worker of weir's own pool
  in_io_arena = 1u << 4,   // entered a weir::io_arena
};

// Where a thread is in a loop whose passes take turns (omp_ext/turns.h).
struct TurnSeat {
  bool in_turns = false;     // such a loop is what it began last,
  std::uint32_t loop = 0;    // of its region the one of this number,
  std::uint64_t first = 0;   // and goes from here
  std::int64_t step = 0;     // by so much
  std::uint64_t turn = 0;    // of its piece the next one,
  std::uint64_t end = 0;     // and the one after its last
  bool had_its_turn = false; // in this pass
};

// What omp_ext's teams keep of a thread: where it works, and what it is about to fork.
struct TeamSeat {
  std::uintptr_t team = 0;          // the region it works in, with marks (omp_ext/seat.h); 0: in no team
  std::uintptr_t next_team = 0;     // the same for the team it forks next
  void* forked = nullptr;           // the region it forked and weir watches
  std::int64_t forked_size = 0;     // with so many threads,
  std::int64_t forked_cores = 0;    // without weir with so many
  std::int64_t own_threads = 0;     // so many has the outermost team it forked without stand-ins, watched or not; 0: it forks none
  std::int64_t forked_ns = 0;       // since when; 0: not timed
  std::int64_t threads_at_work = 0;  // so many has the outermost team it forked, which is not over
  int blocktime_ms = -1;            // libomp's spinning time to restore after it; -1: untouched
  std::uint64_t traced = 0;         // its part of the outermost region in the trace
  bool sized_by_program = false;    // the program itself said how many threads the next team has,
  int threads_asked = 0;            // namely so many; 0: not known
  bool sized_exactly = false;       // and weir may not add to them
  std::int64_t idle_since_ns = 0;   // it spins in libomp for lack of work,
  std::int64_t idle_seen_ns = 0;    // and did so last
  void* own_task = nullptr;         // its implicit task, as one that waits for others (omp_ext/team_waits.h)
  int task_waits = 0;               // explicit tasks here that wait for others, one within the other
  std::int64_t parked_before_piece = 0;  // of its calls that blocked, when it came for a piece in turn
  bool takes_pieces = false;        // the loop that it began is one whose pieces are anybody's,
  bool in_loop = false;             // of which it has taken one, and did not find that there are none left;
  std::uint32_t loops_over = 0;     // when it took its first, so often threads had found that,
  std::int64_t looked_ns = 0;       // then it last looked how such loops fare;
  std::int32_t pieces = 0;          // since then it has done so many
  TurnSeat turns;
  std::int64_t parked = 0, stored = 0, blocked_ns = 0, gate_timeouts = 0;  // its counters, as last added to its region
  std::int64_t most_blocked = 0;    // when it blocked so many threads did, at the most, since then
};

// Every byte of thread-local state, in one record. Constant-initialized and initial-exec: reading it never calls
// anything, so it is usable in constructors before ours, in signal handlers and in a vfork child.
//
// A caller that was suspended may wake on another thread: never keep the address over a wait; ask self() again.
struct Thread {
  std::uint32_t place = outside;   // bits of Place
  std::int32_t lock_depth = 0;     // locks held by what runs here now; travels with a suspended task
  std::int32_t signal_depth = 0;   // > 0 inside a signal handler that was installed through us
  std::int32_t engine_depth = 0;   // > 0 while weir itself is at work on this thread: every call is plain
  void* vfork_return = nullptr;    // where vfork's caller goes on; its own stack is the child's meanwhile
  void* signal_frame = nullptr;    // of the innermost signal handler
  std::int64_t row_since_ns = 0, row_end_ns = 0;  // since then it waits again and again, until then it did last (path/yielding.h)
  std::uint32_t handlers_run = 0;  // so many, by now,
  std::uint32_t waits_ended = 0;   // and of them such as end a wait: without SA_RESTART
  bool cut_short = false;          // a signal of weir's own ended what it did in the kernel (base/disturbed.h),
  int errno_before = 0;            // when this stood in errno
  std::int32_t tid = 0;            // gettid(), 0 until first asked for
  std::int32_t yields = 0;         // of what runs here, since it last made way for others (path/yielding.h)
  const void* looks_from = nullptr;  // the frame of one that stood back, and looks whether what it wants is there,
  std::uint64_t looks_as = 0;        // by its number (wait/look_order.h)
  std::int32_t watched_yields = 0; // so many of the next ones are looked at more closely (path/napping.h)
  std::int64_t long_yields_ns = 0, long_yields_cpu_ns = 0;  // how long those took, and what the program computed meanwhile
  bool yields_to_others = false;   // they were to other programs, when it last judged
  std::int64_t naps_ns = 0;        // so long it naps instead, where a runtime waits
  std::uint8_t yields_awake = 0;   // where it is to sleep: one in eight is one (path/napping.h)
  bool holds_core = false;         // has a core slot of the gate
  std::atomic<bool>* is_away = nullptr;  // of a lock that it holds: is told whether its holder computes, or has given its core
  bool waits_openly = false;       // sleeps in libc for another thread, with nothing of libc's locked: others may run on top
  std::int32_t hits_in_row = 0;    // calls done at once, since one blocked
  std::int64_t went_on_ns = 0;     // since when it computes after a call that blocked; 0: it has given its core since
  std::int64_t wait_ended_ns = 0;  // when the wait was over of what went on here last, after it was set aside; 0: not known (path/waiting.h)
  meter::Counters* counters = nullptr;  // ours, from the meter; nullptr until the first counted call
  TeamSeat seat;
  bool sizes_its_teams = false;    // it said itself how large the OpenMP teams are that it forks
  const void* cold_folder = nullptr;  // the stream of a folder that the disk was asked for, and was not read yet,
  std::int32_t cold_folder_fd = -1;   // or its descriptor, when it has no stream yet (intercept/folders.cpp)
  std::uint8_t looks_in_vain = 0;  // for a name to open; from 8 on: so many names are left out after it (intercept/open_look.cpp)
  std::uint8_t opens_unseen = 0;   // since the last of them
  std::uint8_t opens_long = 0;     // calls of a sort that takes long, and gave the core away: one in 16 does not
  std::uint8_t short_untimed = 0;  // calls of a sort that is short: one in 8 is timed
  std::uint8_t reads_unseen = 0;   // reads without a core that likely waited: one in eight looks first (path/run.cpp)
  std::uint8_t sleeps_in_place = 0;  // of what can't be set aside, while others were (path/yielding.cpp)
  std::uint8_t asides_in_vain = 0; // tasks set aside in a row while it had nothing else to do (path/in_place.cpp)
  void* omp = nullptr;             // what omp_ext's tasks keep a thread
  bool omp_may_end = false;        // libomp knows it, has not made it, and it is not the first (omp_ext/task_memory.h)
  std::int32_t omp_regions = 0;    // it is in so many of OpenMP's, one within the other,
  std::int32_t omp_regions_below_tbb = 0;  // and was in so many when it came to be in an arena
  void* tbb = nullptr;             // what tbb_ext keeps a thread,
  void* tbb_first_task = nullptr;  // of a loop that is being made,
  int tbb_told = 0;                // and how many threads its partitioner was told; 0: none yet
  bool tbb_unheard = false;        // libtbb is to warn of nothing: it would of a number that it has from us
  const void* tbb_wait = nullptr;  // frame of the innermost wait for tasks within the task that runs here; an exception may have left it
  std::uint8_t tbb_stack = 0;      // whether its own stack is known to tbb_ext (machine/stack_end)
  bool tbb_went_on = false;        // the task that it runs in an arena, or ran last, had been set aside before
  bool wants_tbb_lock = false;     // it is in libtbb to take a lock of the program's
  void* pool = nullptr;            // what the own worker pool keeps a thread
  void* iopa = nullptr;            // what the pool of iopa.h keeps a thread
  void* nest = nullptr;            // the ring layer's own ring of this thread, if any
  void* errno_loan = nullptr;      // by which its errno is lent to tasks that began here (wait/errno_loan.h),
  void* errno_borrowed = nullptr;  // and the one by which it has another's,
  std::uint32_t errno_borrowed_state = 0;  // that stands so while it has
  const void* filled = nullptr;    // what the call at hand fills for its caller,
  std::size_t filled_bytes = 0;    // so large (wait/errno_state.h)
  std::uint64_t connection = 0;    // that it made, and nothing was received on since (gate/connecting.h); 0: none
  void* wakes = nullptr;           // those it sends together (sys/wakes.h), if it does now
  std::int32_t plain_locks = 0;    // so many of its locks know no thread: another task on it that wants one waits; travels likewise
  void* trail = nullptr;           // its events on the way to a trace, if there is one
  std::uint64_t traced_core = 0;   // its core slot in the trace
  std::int64_t at_barrier_ns = 0;  // it stands at a barrier with nothing to do, and has napped there since then; -1: not yet; 0: it does not
};

extern thread_local constinit Thread thread_record __attribute__((tls_model("initial-exec")));

// The record of the thread we run on *now*. noinline, and opaque to the optimizer: code that was suspended and woke
// elsewhere gets the new thread's record, not a cached address.
Thread& self();

// The same without the call, for code that cannot be suspended between this and its last use.
inline Thread& self_unsuspended() { return thread_record; }

// Is a signal handler running here? One that left by siglongjmp is recognized by its frame: it is not below ours any
// more. (Wrong at times, for a while, in the harmless direction: a call is passed through that needed not be.)
bool in_signal_handler();

// While it lives, whatever this thread calls goes straight through: weir's own work is never its customer.
class EngineScope {
 public:
  EngineScope() { ++self_unsuspended().engine_depth; }
  ~EngineScope() { --self_unsuspended().engine_depth; }
  EngineScope(const EngineScope&) = delete;
  EngineScope& operator=(const EngineScope&) = delete;
};

}  // namespace weir::base
