// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/list.h"
#include "fiber/fiber.h"
#include "omp_ext/libomp.h"
#include "weir/runtime.h"

namespace weir::omp {

struct Member;
struct Order;
struct Place;

// How many tasks are not over yet, and who waits for the last one. The one that waits is told by the last and may then
// free the tally: nobody touches it after count 0 was reached with a waiter.
//
//   value = 2 x tasks + (1: somebody waits)
class Tally {
 public:
  void up() { value_.fetch_add(2, std::memory_order_relaxed); }
  void down() {
    // acq_rel: what the task wrote is seen by whoever waited for it.
    if (value_.fetch_sub(2, std::memory_order_acq_rel) == 3) waiter_->wake(waiter_);
  }
  bool none() const { return value_.load(std::memory_order_acquire) < 2; }

  // waiter->wake() will be called when the last task is over, once. False: there is none, and it won't.
  bool wait(weir_waiter* waiter) {
    waiter_ = waiter;
    if (value_.fetch_add(1, std::memory_order_acq_rel) >= 2) return true;
    waited();
    return false;
  }
  // After the wake.
  void waited() { value_.store(0, std::memory_order_relaxed); }

  void reset() {
    value_.store(0, std::memory_order_relaxed);
    queued_.store(0, std::memory_order_relaxed);
  }

  // Tasks created and not yet begun: worth a look into the queue. A hint.
  void queued() { queued_.fetch_add(1, std::memory_order_relaxed); }
  void begun() { queued_.fetch_sub(1, std::memory_order_relaxed); }
  bool any_queued() const { return queued_.load(std::memory_order_relaxed) > 0; }

 private:
  std::atomic<std::int64_t> value_{0};
  weir_waiter* waiter_ = nullptr;
  std::atomic<std::int32_t> queued_{0};
};

// A taskgroup that is open: its tasks, and those that they create.
struct Group {
  Group* next_free = nullptr;
  Group* outer = nullptr;
  Tally tasks;
};

enum class TaskState : std::uint8_t {
  fresh,       // created, not begun
  on_fiber,    // runs on a stack of its own: may be set aside
  in_place,    // runs on the stack of who started it: must not
  set_aside,   // waits for its wake
  ending,      // its body is over, its children are not
};

// What a task that goes on lies on top of, on its thread: what only waits for tasks; what is blocked until something comes about; what has
// just something else to do. Nothing that matters: it began there, or has to be there.
enum class Below : std::uint8_t { nothing, waits, blocks, goes_on };

// What we keep of a task: the first thing in its shareds area, in libomp's memory, which lives as long as the task and
// its children. An implicit task has one in its Member.
//
//   fresh --begins--> on_fiber --suspend()--> set_aside --wake(), resumed--> on_fiber --> ending --> over
//         `---------> in_place --------------------------------------------------------------------------------> over
//
// ending: libomp takes back what hold() took by way of the task's parent, which must not be over then. So a task on a
// fiber is over for libomp only after its children are. Who waits for its body is told at once. Where even that could be
// noticed (dependences, events), and for tasks in place, children are never set aside instead: it `pins` them.
struct Task : weir_waiter {
  Task* parent = nullptr;   // nullptr: implicit
  Group* group = nullptr;   // the innermost open one
  Group outermost_group;    // of those it opens itself: the ones within are of a pool, and there may be no memory for them
  std::int32_t groups_open = 0;
  std::int32_t groups_missing = 0;  // of these, the innermost, for lack of memory
  Tally children;
  Tally lingering;          // of them those whose body is over while they wait for their own children
  std::atomic<std::int32_t> counted_children{0};    // in a team of one: by libomp, with those of the
  std::atomic<std::int32_t> uncounted_children{0};  // second kind none of the first may begin
  Tally* awaited = nullptr; // (ending) the one of its tallies it waits for
  Member* home = nullptr;   // where it runs or ran last: its wake goes there, and another may take it from there
  KmpTask* kmp = nullptr;
  Task* below = nullptr;    // while it runs: the one below it on its thread

  Routine routine = nullptr;             // the compiler's entry, or
  void (*gomp_body)(void*) = nullptr;    // gcc's, with
  void* gomp_data = nullptr;

  fiber::Fiber fiber;
  struct Ready : base::Link {
    Task* task = nullptr;
  } ready;                               // in a list of tasks to go on with
  weir_start_fn start = nullptr;         // what suspend() was asked to start once the stack was left
  void* start_argument = nullptr;
  std::int32_t gtid = 0;    // of the thread it runs on
  std::int32_t lock_depth = 0;
  std::int32_t plain_locks = 0;
  std::uint64_t traced = 0; // in the trace

  TaskState state = TaskState::fresh;
  bool untied = false;       // may go on on any thread of the team
  bool keeps_errno = false;  // the address of its thread's: it goes on there, unless it would never
  bool goes_home = false;    // set aside only to go on at its home
  bool holds_lock = false;   // of its thread's: that one is to give it back
  Below lies_on = Below::nothing;
  std::int64_t wants_ground_ns = 0;  // since then it is ready, and is to go on on top of what waits for it alone; 0: it need not
  bool held = false;         // libomp was told that there is more to come
  bool final = false;        // its children are included
  bool included = false;     // whoever created it waits for its end
  bool pins = false;         // its children run in place
  bool stays = false;        // it runs in place itself, from begin to end
  bool told = false;         // who waits for its body knows that it is over
  bool of_its_thread = false;  // has its thread's number, or a pointer to its copy of a reduction
  bool again = false;        // an untied task asked for its next part
  bool counted_queued = false;
  bool counted = false;      // (in a team of one) among its parent's counted_children
  bool depends = false;      // others may begin when it is over

  Order* order = nullptr;    // of its children, where that is ours (order.h)
  Place* place = nullptr;    // its own, among its parent's

  std::atomic<std::int32_t> parts_left{1};  // 2: body and event of a detachable task
  void* event = nullptr;
  Task* next_with_event = nullptr;

  // What is needed to make another one like it (taskloop).
  std::size_t task_bytes = 0;
  std::size_t shareds_bytes = 0;
  std::int32_t flags = 0;
  Task* before = nullptr;    // who ran here before this undeferred task
  KmpTask* shell = nullptr;  // what stands for this task while it runs undeferred, for libomp and as the current one

  static Task* of_ready(base::Link* link) { return static_cast<Ready*>(link)->task; }
};

// Is this task one of ours?
std::int32_t run_task(std::int32_t gtid, KmpTask* kmp);
inline bool ours(const KmpTask* kmp) { return kmp->routine == run_task; }
inline Task* task_of(const KmpTask* kmp) { return static_cast<Task*>(kmp->shareds) - 1; }

// The program has tasks that threads of libomp's own run (`target nowait`). They hand over what depends on them in a way that counts
// no parts: with a task in parts, libomp would take the first for the last.
extern std::atomic<bool> has_device_tasks;

// Creates a task of the region that `member` stands in. nullptr only when libomp gave none.
KmpTask* create_task(Member& member, Ident* place, std::int32_t flags, std::size_t task_bytes,
                     std::size_t shareds_bytes, Routine routine);

// An undeferred task begins on the calling stack, and ends.
void begin_undeferred(Member& member, Task& task, Ident* place);
void end_undeferred(Member& member, Task& task, Ident* place);

// The task was created, and will not be run.
void dispose(Member& member, Task& task);

// Before a task goes to libomp's queue, with so many dependences.
void about_to_queue(Task& task, std::int32_t dependences = 0);

// The task ends: who waits for it is told.
void over(Task& task);

// May the current task leave its thread to others, whatever the cap on those set aside?
bool may_step_aside();

// Sets the current task aside until `tally` has no task left. Only where it may step aside; it may go on on another
// thread.
void set_aside_until_none(Tally& tally);

// Sets the current task aside, ready to go on after what is ready now, and after what lies below it on its thread has had a look at
// what that waits for. False: it may not step aside. It may go on on another thread.
bool make_way();

// The current task comes to what can't be set aside, and may block its thread: should it lie on top of what it waits for, both would wait
// for ever. So it is set aside first, where that may be so, and goes on on its thread where nothing lies below it but what waits for it.
void come_to_ground();

// Is there nothing on that member's thread, from `below` down, but what waits for the task: its ancestors, or who has come to the barrier?
bool is_ground(const Member& member, const Task* below, const Task& task);

// The code still thinks that it is on the thread of that number, and is about to act on it through names that we don't
// see: brings the current task back there. The number to go by.
std::int32_t at_home(std::int32_t gtid);

// Of the tasks' stacks.
extern fiber::StackPool stacks;

// How many tasks may be set aside at once; <= 0: as many as we think fit.
void set_most_set_aside(std::int64_t most);

// In the child none is: those of the parent go on there.
void tasks_after_fork();

// Is `top` the task itself, or an ancestor?
bool descends(const Task& task, const Task& top);

// May the calling code be set aside for a call? 0 or a WEIR_REFUSED_ reason.
int refuses();

// The current task, if it can, lets others run; it is ready at once.
void leave_for_now();

// Goes on with a task that is ready, here and now.
void resume(Member& member, Task& task);

extern const weir_runtime omp_runtime;

}  // namespace weir::omp
