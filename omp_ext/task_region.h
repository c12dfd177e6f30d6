// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/list.h"
#include "base/thread.h"
#include "omp_ext/task.h"

namespace weir::omp {

struct Region;

// A thread that ever ran in a region of ours. Never unmapped: whoever made a task ready may still poke it when the
// region is over.
struct Worker {
  Worker* next_free;
  // Counts pokes; the thread sleeps on it.
  std::atomic<std::uint32_t> pokes;
  std::atomic<std::uint32_t> asleep;
  Member* member;  // of the innermost region; nullptr outside
  fiber::Stack* stacks;  // a few, for the next tasks
  int stack_count;
  std::uint32_t random;

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
  std::int32_t movable;     // > 0: a task that begins now may be set aside, for somebody will come back to it
  Task implicit;
  Task* current;
  base::Inbox woken;        // any thread pushes
  base::Queue ready;        // own
  Task* only_below;         // a task that holds a lock waits here: begin nothing but its descendants
  base::Queue postponed;    // what would have begun meanwhile
  std::atomic<std::uint64_t> begun;  // tasks that began or went on here; written by this thread alone
  std::atomic<std::int32_t> aside;   // of those that began here, how many are set aside; likewise
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
};

// May regions be ours? The lane, the libomp, and whether it behaves; cheap.
bool regions_wanted();

// The member that the calling thread stands in, or nullptr: then tasks are none of our business.
inline Member* member_here() {
  auto* worker = static_cast<Worker*>(base::self_unsuspended().omp);
  if (!worker || !worker->member || worker->member->serialized) return nullptr;
  return worker->member;
}

// The thread enters the region, and leaves it; between them is the implicit task. False: no memory.
bool enter(Region& region, std::int32_t gtid);
void leave();

// Runs the implicit task of the calling thread, ends with a barrier of ours.
void run_implicit(Region& region, std::int32_t gtid);

// Returns when every thread of the team has arrived and no task is left. Before each barrier of libomp's: in there it
// would start tasks, and nobody would come back to those set aside.
void settle(Member& member);

// While it lives, tasks that libomp starts on this thread may be set aside.
class Movable {
 public:
  explicit Movable(Member& member) : member_(member) { ++member_.movable; }
  ~Movable() { --member_.movable; }
  Movable(const Movable&) = delete;
  Movable& operator=(const Movable&) = delete;

 private:
  Member& member_;
};

}  // namespace weir::omp
