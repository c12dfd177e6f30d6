// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/list.h"
#include "base/spin.h"
#include "base/thread.h"
#include "omp_ext/looked.h"
#include "omp_ext/task.h"
#include "sys/lock.h"

namespace weir::omp {

struct Region;

// A thread that ever ran in a region of ours. Never unmapped: whoever made a task ready may still poke it when the
// region is over.
struct Worker {
  Worker* next_free;
  // Counts pokes; the thread sleeps on it.
  std::atomic<std::uint32_t> pokes;
  std::atomic<std::uint32_t> asleep;
  Worker* next_of_all;
  bool is_listed;               // among all; for good, whichever thread it is now
  std::atomic<Member*> member;  // of the innermost region; nullptr outside
  std::atomic<bool> on_top;     // a task runs on top of code that was interrupted for it
  Looked looked;                // while ready tasks do not go on
  fiber::Stack* stacks;  // a few, for the next tasks
  int stack_count;
  std::uint32_t random;
  std::int32_t tid;  // the kernel's

  void poke();
};

// A thread in a region: its implicit task and the tasks that have begun here.
struct Member {
  Member* next_free;
  Region* region;
  Member* next;    // in the region
  Worker* worker;
  Member* outer;   // of the region around this one, when the thread is its primary thread
  std::int32_t gtid;
  std::int32_t barriers;    // how many it has arrived at
  std::int32_t serialized;  // > 0: inside something whose tasks are none of our business
  KmpTask* region_parent;   // of the region that runs here in place, if it has one of ours (region_within.h)
  std::int32_t movable;     // > 0: a task that begins now may be set aside, for somebody will come back to it
  Task implicit;
  Task* current;
  base::Inbox woken;        // any thread pushes
  base::Spin ready_lock;    // of `ready`, and of whoever empties `woken`: this thread, and idle ones
  base::Queue ready;
  std::atomic<std::int32_t> ready_count;  // written under the lock
  std::atomic<std::uint32_t> visits;      // how often this thread asked for a ready task; written by it alone
  // By whoever is idle: since when the visits were seen to be what they are.
  std::atomic<std::uint32_t> visits_seen;
  std::atomic<std::int64_t> visits_seen_ns;
  const char* first_wait;   // where on the thread's own stack the outermost explicit task there waits; nullptr: none does
  bool at_barrier;          // the implicit task has arrived at one
  bool yielded;             // what went on here last only yielded again: what that waits for may not have begun yet
  bool catches_up;          // what is ready goes on before anything new begins
  std::atomic<Task*> only_below;  // a task that keeps_others_off() waits here: begin nothing but its descendants; written by this thread
  const Task* opens_for;          // it waits with a lock held, and from then on, where there is no other way,
  std::int64_t opens_ns;          // others go on here all the same,
  const Task* open;               // as one does now, on top of this one
  std::int32_t in_hand;           // others that it took all the same, and is about to hand back
  Task* handed_back;              // the last of them
  std::int64_t idle_since_ns;     // 0: found something to do when it last looked
  std::atomic<std::uint64_t> begun;  // tasks that began or went on here; written by this thread alone
  std::atomic<std::int32_t> aside;   // how many that are at home here are set aside
  std::uint64_t begun_before_aside;  // when the last one was set aside here
  bool frees;                        // a task that others may have waited for was over here
  std::uint64_t begun_by_idle;       // what others had begun when this thread last left the next task to them
  // Written by this thread alone; all are added up to know that no task is left.
  std::atomic<std::int64_t> created;
  std::atomic<std::int64_t> completed;
};

// A parallel region whose tasks may be set aside. Lives on the stack of the thread that forked it.
struct Region {
  Microtask code = nullptr;
  std::int32_t argument_count = 0;
  void** arguments = nullptr;
  void (*gomp_code)(void*) = nullptr;  // gcc's outlined function, with
  void* gomp_data = nullptr;

  std::atomic<Member*> members{nullptr};
  std::atomic<std::int32_t> threads{0};
  std::atomic<std::int64_t> arrived{0};   // at barriers, all told
  std::atomic<std::int32_t> quiet{0};     // the last barrier at which no task was left
  std::atomic<std::int32_t> sleepers{0};
  std::atomic<std::int64_t> completed_elsewhere{0};
  bool outlives_root = false;  // its threads may be there after the one that forked it
  bool orders_tasks() const { return outlives_root && threads.load(std::memory_order_relaxed) > 1; }  // of its tasks, itself (order.h)
  void* copied = nullptr;  // of gcc's single copyprivate; written before a barrier, read behind it

  // What its threads take when they enter, had for all by the first of them.
  sys::Lock entering;
  bool allotted = false;
  Member* members_left = nullptr;
  Worker* workers_left = nullptr;  // for threads that have none yet

  Region() = default;
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region();  // by who forked, when all threads have left: others of them may look at a member after it has left
};

// Was there a moment just now when no task of the region's was left?
bool no_task_left(const Region& region);

// All workers there ever were, by next_of_all. From any thread.
Worker* first_worker();

// May regions be ours? The lane, the libomp, and whether it behaves; cheap.
bool regions_wanted();

// The member that the calling thread stands in, or nullptr: then tasks are none of our business.
inline Member* member_here() {
  auto* worker = static_cast<Worker*>(base::self_unsuspended().omp);
  if (!worker) return nullptr;
  Member* member = worker->member.load(std::memory_order_relaxed);
  return member && !member->serialized ? member : nullptr;
}

// The same, also where tasks are none of our business.
Member* innermost_member();

// The member of the thread that the caller stands on now: a task that was set aside may have gone on on another one.
// Precondition: there is one.
Member& member_now();

// The number of the calling thread. A task that moved still has that of the thread it began on.
inline std::int32_t gtid_here(std::int32_t said) {
  auto* worker = static_cast<Worker*>(base::self_unsuspended().omp);
  Member* member = worker ? worker->member.load(std::memory_order_relaxed) : nullptr;
  return member ? member->gtid : said;
}

// The thread enters the region, and leaves it; between them is the implicit task, whose tasks are none of our business
// in a team of one under auto. False to all threads of the team: there was no memory for all. (One that has no part in what the
// others do would have tasks that libomp runs on top of theirs, unseen.) Then what they create and wait for is libomp's affair, and
// left_outside() takes the place of leave().
bool enter(Region& region, std::int32_t gtid);
void leave();
void left_outside();

// Runs the implicit task of the calling thread, ends with a barrier of ours.
void run_implicit(Region& region, std::int32_t gtid);

// Returns when every thread of the team has arrived and no task is left. Before each barrier of libomp's: in there it
// would start tasks, and nobody would come back to those set aside.
void settle(Member& member);

// All our tasks are untied to libomp, which would have a tied task that waits begin none but its descendants. That order is kept
// where another one could be noticed: a task that holds a lock (another might want it, and never let the holder go on); one that
// uses what belongs to its thread, as a copy of a reduction; and one that runs on the thread's own stack, once tasks have piled up
// there. At a barrier libomp begins any task.
inline bool keeps_others_off(const Member& member) {
  constexpr std::ptrdiff_t pile = 64 * 1024;
  const Task& task = *member.current;
  if (&task == member.open) return false;
  if (!task.parent) return !member.at_barrier && base::self_unsuspended().lock_depth > 0;
  if (task.of_its_thread || base::self_unsuspended().lock_depth > 0) return true;
  return task.state == TaskState::in_place && member.first_wait &&
         member.first_wait - static_cast<const char*>(__builtin_frame_address(0)) > pile;
}

// While it lives, such a task has nothing begin or go on on its thread but its descendants.
class OnlyBelow {
 public:
  explicit OnlyBelow(Member& member) : member_(member), keeps_off_(keeps_others_off(member)) {
    if (!keeps_off_) return;
    before_ = member_.only_below.load(std::memory_order_relaxed);
    member_.only_below = member_.current;
  }
  ~OnlyBelow() {
    if (keeps_off_) member_.only_below = before_;
  }
  OnlyBelow(const OnlyBelow&) = delete;
  OnlyBelow& operator=(const OnlyBelow&) = delete;

  bool keeps_off() const { return keeps_off_; }
  const Task* before() const { return before_; }  // the one that does so and lies below

 private:
  Member& member_;
  Task* before_ = nullptr;
  bool keeps_off_;
};

// While it lives, tasks that libomp starts on this thread may be set aside.
class Movable {
 public:
  explicit Movable(Member& member) : member_(member), only_below_(member) { ++member_.movable; }
  ~Movable() { --member_.movable; }
  Movable(const Movable&) = delete;
  Movable& operator=(const Movable&) = delete;

 private:
  Member& member_;
  OnlyBelow only_below_;
};

}  // namespace weir::omp
