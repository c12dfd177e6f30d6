// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/task.h"

#include <new>
#include <utility>

#include "base/clock.h"
#include "base/thread.h"
#include "meter/counters.h"
#include "meter/trace.h"
#include "omp_ext/idle.h"
#include "omp_ext/order.h"
#include "omp_ext/task_memory.h"
#include "omp_ext/task_region.h"
#include "omp_ext/tool.h"
#include "wait/errno_state.h"
#include "wait/exception_state.h"

namespace weir::omp {

constinit fiber::StackPool stacks;

namespace {

constexpr int stacks_at_hand = 16;
constexpr std::int64_t most_by_default = 250'000;  // some 3 GiB of touched stacks

constinit std::atomic<std::int64_t> set_aside_now{0};
constinit std::atomic<std::int64_t> most_set_aside{most_by_default};

fiber::Stack* stack_for(Worker& worker) {
  if (!worker.stacks) return stacks.take();
  fiber::Stack* stack = worker.stacks;
  worker.stacks = stack->next;
  --worker.stack_count;
  return stack;
}

void stack_from(Worker& worker, fiber::Stack* stack) {
  if (worker.stack_count >= stacks_at_hand) return stacks.give(stack);
  stack->next = worker.stacks;
  worker.stacks = stack;
  ++worker.stack_count;
}

// Of a thread's own figure, which others read.
template <typename T>
void count(std::atomic<T>& figure, T by) {
  figure.store(figure.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

// From now on libomp takes a return from run_task for "more to come". The task becomes serial by it: __kmpc_omp_task
// will run it at once, in the caller. Called by the thread that runs the task.
void hold(Task& task) {
  if (task.held) return;
  task.held = true;
  libomp().task_begin_if0(nullptr, task.gtid, task.kmp);
}

std::int32_t nothing(std::int32_t, void*) { return 0; }

// What the task has of its own ends with its body, whatever its children still do. (For libomp the task may be over much later.)
void destroy_private(Task& task) {
  auto* destructors = task.kmp->data1.destructors;
  task.kmp->data1.destructors = nothing;
  destructors(task.gtid, task.kmp);
}

void run_routine(void* task_) {
  auto& task = *static_cast<Task*>(task_);
  if (task.gomp_body) return task.gomp_body(task.gomp_data);
  do {
    task.again = false;
    if (task.routine) task.routine(task.gtid, task.kmp);  // libomp takes tasks without one
  } while (task.again);
  if (task.flags & flag_destructors) destroy_private(task);
}

// Does what lies right below on the thread wait for the task, if for anything?
bool waits_for(const Member& member, const Task& below, const Task& task) {
  return (&below == &member.implicit && member.at_barrier) || descends(task, below);
}

// Who runs here is another task for as long as this lives. (One that is below it, and waits for something else, counts among those
// that are aside: who blocks its thread on top of that one makes way for it, as for those.)
class Onstage {
 public:
  Onstage(Member& member, Task& task)
      : member_(member),
        task_(task),
        before_(member.current),
        movable_before_(member.movable),
        keeps_another_waiting_(task.lies_on == Below::blocks || !waits_for(member, *member.current, task)) {
    if (keeps_another_waiting_) meter::gauges.aside.fetch_add(1, std::memory_order_relaxed);
    base::Thread& thread = base::self();
    place_before_ = thread.place;
    lock_depth_before_ = thread.lock_depth;
    plain_locks_before_ = thread.plain_locks;
    thread.place |= base::in_omp_task;
    thread.lock_depth = task.lock_depth;
    thread.plain_locks = task.plain_locks;
    task.below = before_;
    member.current = &task;
    member.movable = 0;
    exceptions_.take();
  }
  ~Onstage() {
    exceptions_.put_back();
    base::Thread& thread = base::self();
    task_.lock_depth = thread.lock_depth;
    task_.plain_locks = thread.plain_locks;
    thread.place = place_before_;
    thread.lock_depth = lock_depth_before_;
    thread.plain_locks = plain_locks_before_;
    member_.current = before_;
    member_.movable = movable_before_;
    if (keeps_another_waiting_) meter::gauges.aside.fetch_sub(1, std::memory_order_relaxed);
  }
  Onstage(const Onstage&) = delete;
  Onstage& operator=(const Onstage&) = delete;

 private:
  Member& member_;
  Task& task_;
  Task* before_;
  std::int32_t movable_before_;
  bool keeps_another_waiting_;  // that one lies below, and can't go on before this one is over or aside
  std::uint32_t place_before_;
  std::int32_t lock_depth_before_;
  std::int32_t plain_locks_before_;
  wait::ExceptionState exceptions_;
};

// Is there still a child that is not over for libomp? Then the task is woken when it is.
bool awaits_children(Task& task) {
  for (Tally* tally : {&task.children, &task.lingering}) {
    task.awaited = tally;
    if (!tally->none() && tally->wait(&task)) return true;
  }
  return false;
}

// The body is over. libomp ends the task when run_task returns, unless it is still held.
std::int32_t end(Task& task, std::int32_t gtid) {
  if (task.held && !task.pins && task.state != TaskState::in_place && awaits_children(task)) return 0;
  if (task.held) libomp().task_complete_if0(nullptr, gtid, task.kmp);
  over(task);
  return 0;
}

void tell_that_body_is_over(Task& task) {
  leave_place(std::exchange(task.place, nullptr));
  task.told = true;
  task.parent->lingering.up();  // first: its parent looks at both
  task.parent->children.down();
}

// The thread had nothing else to do while a task of its was aside.
void note_in_vain(bool in_vain) {
  std::uint8_t& count = base::self().asides_in_vain;
  if (!in_vain) count = 0;
  else if (count < 255) ++count;
}

// Enters the task's stack, until the task ends or is set aside.
std::int32_t run_on_fiber(Member& member, Task& task) {
  bool ended;
  {
    Onstage onstage(member, task);
    task.state = TaskState::on_fiber;
    meter::Traced piece = task.traced ? meter::begins(meter::Track::piece, "task") : 0;
    ended = task.fiber.enter();
    meter::ends(piece, meter::Track::piece, "task");
  }
  if (ended) {
    meter::ends(task.traced, meter::Track::task, "task");
    stack_from(*member.worker, task.fiber.stack());
    task.state = TaskState::ending;
    bool lingers = task.held && !task.pins && !(task.children.none() && task.lingering.none());
    if (lingers) tell_that_body_is_over(task);
    return end(task, member.gtid);
  }
  hold(task);
  member.begun_before_aside = member.begun.load(std::memory_order_relaxed);
  task.state = TaskState::set_aside;
  member.aside.fetch_add(1, std::memory_order_relaxed);
  // From here on it may be ready, go on on another thread, and end: libomp counts that this part is not over yet.
  task.start(task.start_argument, &task);
  catch_up(member);
  return 0;
}

std::int32_t run_in_place(Member* member, Task& task) {
  task.state = TaskState::in_place;
  task.pins = true;
  meter::Traced piece = meter::begins(meter::Track::piece, "task in place");
  if (member) {
    Onstage onstage(*member, task);
    run_routine(&task);
  } else {
    run_routine(&task);
  }
  meter::ends(piece, meter::Track::piece, "task in place");
  return end(task, task.gtid);
}

void wake_task(weir_waiter* self) {
  auto* task = static_cast<Task*>(self);
  Member* home = task->home;
  Worker* worker = home->worker;
  home->woken.push(&task->ready);  // from here on the task may be gone, and its region with it
  worker->poke();
}

// Another thread may begin it: the calling one must not as long as a task that holds a lock waits there. One whose parent
// may be over before it is can't be held: libomp has it back, after a look at what lies below it in the queue.
std::int32_t leave_to_others(Member& member, Task& task) {
  constexpr std::int32_t most_in_hand = 16;
  if (!task.parent->pins || member.handed_back == &task) {  // the latter: its queue is full, and libomp began it at once
    hold(task);
    leave_ready(member, task);
    return 0;
  }
  if (member.in_hand < most_in_hand) {
    ++member.in_hand;
    Movable movable(member);
    libomp().taskyield(nullptr, member.gtid, 0);
    --member.in_hand;
  }
  Region& region = *member.region;
  member.handed_back = &task;
  libomp().task(nullptr, member.gtid, task.kmp);  // from here on another may have ended it
  member.handed_back = nullptr;
  rouse_one(region);
  return 0;
}

std::int32_t begin(Member* member, Task& task, std::int32_t gtid) {
  task.gtid = gtid;
  const Task* top = member ? member->only_below.load(std::memory_order_relaxed) : nullptr;
  if (top && !task.included && !task.stays && !descends(task, *top)) return leave_to_others(*member, task);
  if (task.counted_queued) {
    task.counted_queued = false;
    task.parent->children.begun();
    if (task.group) task.group->tasks.begun();
  }
  if (!member) return run_in_place(nullptr, task);
  count(member->begun, std::uint64_t{1});
  task.home = member;
  if (!member->movable || task.included || task.stays || task.parent->pins) return run_in_place(member, task);
  fiber::Stack* stack = stack_for(*member->worker);
  if (!stack) return run_in_place(member, task);
  task.fiber.prepare(stack, run_routine, &task);
  task.traced = meter::begins(meter::Track::task, "task");
  return run_on_fiber(*member, task);
}

// A team of one: libomp begins each task where it is created, and knows no dependences; what is not over then, it forgets.
bool alone(const Member& member) { return member.region->threads.load(std::memory_order_relaxed) == 1; }

// The task that runs on the calling thread's present stack and may be set aside; nullptr: none.
Task* movable_task(int* refusal) {
  Member* member = member_here();
  *refusal = WEIR_REFUSED_NOT_A_TASK;
  if (!member || !member->current->parent) return nullptr;
  Task* task = member->current;
  *refusal = WEIR_REFUSED_CONSTRUCT;
  if (task->state != TaskState::on_fiber || task->of_its_thread) return nullptr;
  *refusal = WEIR_REFUSED_FOREIGN_STACK;
  if (!task->fiber.holds(__builtin_frame_address(0))) return nullptr;
  *refusal = 0;
  return task;
}

}  // namespace

std::int32_t run_task(std::int32_t gtid, KmpTask* kmp) {
  Task& task = *task_of(kmp);
  auto* worker = static_cast<Worker*>(base::self().omp);
  Member* member = worker ? worker->member.load() : nullptr;
  if (member && member->region != task.home->region) member = nullptr;
  task.kmp = kmp;
  if (task.state == TaskState::fresh) return begin(member, task, gtid);
  if (task.state == TaskState::ending) {
    count(member->begun, std::uint64_t{1});
    task.awaited->waited();
    return end(task, gtid);
  }
  bool in_vain = task.home == member && member->begun.load(std::memory_order_relaxed) == member->begun_before_aside;
  note_in_vain(in_vain);
  count(member->begun, std::uint64_t{1});
  task.home->aside.fetch_sub(1, std::memory_order_relaxed);
  task.home = member;
  task.gtid = gtid;
  set_aside_now.fetch_sub(1, std::memory_order_relaxed);
  return run_on_fiber(*member, task);
}

constinit std::atomic<bool> has_device_tasks{false};

// In a team of one libomp counts a task's children while one of them is a detached one or was created beside such a one; and one
// that was created before and ends meanwhile it would count down. Without weir those are over by then.
static void count_alone(Task& parent, Task& task, bool may_detach) {
  task.counted = may_detach || parent.counted_children.load(std::memory_order_relaxed) > 0;
  (task.counted ? parent.counted_children : parent.uncounted_children).fetch_add(1, std::memory_order_relaxed);
}

static void end_uncounted(Member& member) {
  work_until(
      member, [](void* parent) { return !static_cast<Task*>(parent)->uncounted_children.load(std::memory_order_relaxed); },
      member.current);
}

KmpTask* create_task(Member& member, Ident* place, std::int32_t flags, std::size_t task_bytes,
                     std::size_t shareds_bytes, Routine routine) {
  Task& parent = *member.current;
  const bool is_alone = alone(member), may_detach = flags & flag_detachable;
  if (is_alone && may_detach) end_uncounted(member);
  // A child's end writes flags of its parent, on its own thread: the parent's own change of them must come before.
  if (parent.state == TaskState::on_fiber) hold(parent);
  KmpTask* kmp = libomp().task_alloc(place, member.gtid, flags & ~flag_tied, task_bytes,
                                      task_memory(sizeof(Task) + shareds_bytes), run_task);
  if (!kmp) return nullptr;
  Task* task = new (kmp->shareds) Task;
  kmp->shareds = task + 1;
  task->wake = wake_task;
  task->ready.task = task;
  task->parent = &parent;
  task->group = parent.group;
  task->home = &member;
  task->kmp = kmp;
  task->routine = routine;
  task->final = parent.final || (flags & flag_final);
  task->untied = !(flags & flag_tied);
  task->included = parent.final || (flags & flag_merged_if0) || (is_alone && may_detach);
  task->pins = parent.pins || (flags & flag_detachable);
  task->task_bytes = task_bytes;
  task->shareds_bytes = shareds_bytes;
  task->flags = flags;
  if (is_alone) count_alone(parent, *task, may_detach);
  parent.children.up();
  if (task->group) task->group->tasks.up();
  member.created.store(member.created.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  return kmp;
}

namespace {
std::int32_t no_routine(std::int32_t, KmpTask*) { return 0; }
}  // namespace

void begin_undeferred(Member& member, Task& task, Ident* place) {
  come_to_ground();  // on this thread
  std::int32_t gtid = member.gtid;
  // libomp wants a tied task here, and ours are untied for it. Children refer to their parent until they end, maybe long
  // after it: so this one is their parent, for libomp and for us.
  task.shell = libomp().task_alloc(place, gtid, flag_tied | (task.final ? flag_final : 0), sizeof(KmpTask),
                                   task_memory(sizeof(Task)), no_routine);
  Task* current = new (task.shell->shareds) Task;
  current->state = TaskState::in_place;
  current->pins = true;
  current->parent = task.parent;
  current->group = task.group;
  current->home = &member;
  current->kmp = task.kmp;
  current->gtid = gtid;
  current->final = task.final;
  current->untied = task.untied;
  current->of_its_thread = task.of_its_thread || member.current->of_its_thread;  // on top of that one, which has to stay here
  task.before = current->below = member.current;
  member.current = current;
  libomp().task_begin_if0(place, gtid, task.shell);
}

void end_undeferred(Member& member, Task& task, Ident* place) {
  std::int32_t gtid = member.gtid;
  give_order(*member.current);
  member.current = task.before;
  libomp().task_complete_if0(place, gtid, task.shell);
  dispose(member, task);
}

void dispose(Member& member, Task& task) {
  std::int32_t gtid = member.gtid;
  KmpTask* kmp = task.kmp;
  over(task);
  libomp().task_begin_if0(nullptr, gtid, kmp);
  libomp().task_complete_if0(nullptr, gtid, kmp);
}

void about_to_queue(Task& task, std::int32_t dependences) {
  if (dependences > 0) {
    task.pins = task.depends = true;
    task.stays = has_device_tasks.load(std::memory_order_relaxed);
    if (alone(*task.home)) task.included = true;
  }
  if (task.included) return;
  task.counted_queued = true;
  task.parent->children.queued();
  if (task.group) task.group->tasks.queued();
}

void over(Task& task) {
  if (task.parts_left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  leave_place(std::exchange(task.place, nullptr));
  give_order(task);
  Region& region = *task.home->region;
  Task& parent = *task.parent;
  Group* group = task.group;
  bool depends = task.depends;
  std::atomic<std::int32_t>& among = task.counted ? parent.counted_children : parent.uncounted_children;
  if (alone(*task.home)) among.fetch_sub(1, std::memory_order_relaxed);
  (task.told ? parent.lingering : parent.children).down();
  if (group) group->tasks.down();
  // Last: with it the region may end.
  auto* worker = static_cast<Worker*>(base::self().omp);
  Member* member = worker ? worker->member.load() : nullptr;
  if (member && member->region == &region) {
    member->frees |= depends;
    member->completed.store(member->completed.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  } else {
    region.completed_elsewhere.fetch_add(1, std::memory_order_release);
  }
}

bool descends(const Task& task, const Task& top) {
  for (const Task* t = &task; t; t = t->parent)
    if (t == &top) return true;
  return false;
}

void tasks_after_fork() { set_aside_now.store(0, std::memory_order_relaxed); }

void set_most_set_aside(std::int64_t most) {
  if (most > 0) most_set_aside.store(most, std::memory_order_relaxed);
}

static bool is_full() { return set_aside_now.load(std::memory_order_relaxed) >= most_set_aside.load(std::memory_order_relaxed); }

// A task that libomp runs where it is created: a team of one keeps its order.
static bool is_one_in_order() {
  Member* member = innermost_member();
  return member && member->serialized && alone(*member) && team::in_explicit_task();
}

// libtbb keeps of a thread what it runs there; and a task of its own that began our region would be left below.
static bool is_in_onetbb_too() { return base::self().place & base::in_tbb_arena; }

int refuses() {
  int refusal;
  if (!movable_task(&refusal)) return refusal == WEIR_REFUSED_NOT_A_TASK && is_one_in_order() ? WEIR_REFUSED_IN_ORDER : refusal;
  if (is_in_onetbb_too()) return WEIR_REFUSED_CONSTRUCT;
  return is_full() ? WEIR_REFUSED_CAP : 0;
}

namespace {

// However many are set aside: the task has its stack already, and where it waits for others (or has to be on another
// thread) there is no other way. One of them may lie below it on its thread's own stack, and never go on otherwise.
int step_aside(Task& task, weir_start_fn start, void* argument) {
  task.start = start;
  task.start_argument = argument;
  task.keeps_errno = wait::keeps_errno(task.fiber.stack()->high);
  task.holds_lock = base::self().lock_depth > 0;
  set_aside_now.fetch_add(1, std::memory_order_relaxed);
  task.fiber.leave();
  return 0;
}

int step_aside(weir_start_fn start, void* argument) {
  int refusal;
  Task* task = movable_task(&refusal);
  return refusal ? refusal : step_aside(*task, start, argument);
}

// For a call.
int set_aside(weir_start_fn start, void* argument) {
  int refusal;
  Task* task = movable_task(&refusal);
  if (refusal) return refusal;
  return is_full() ? WEIR_REFUSED_CAP : step_aside(*task, start, argument);
}

}  // namespace

bool may_step_aside() {
  int refusal;
  return movable_task(&refusal) != nullptr;
}

// False: it may not be.
static bool set_aside_within_us(weir_start_fn start, void* argument) {
  wait::ExceptionState exceptions;
  exceptions.take();
  meter::gauges.aside.fetch_add(1, std::memory_order_relaxed);
  int refusal = step_aside(start, argument);
  meter::gauges.aside.fetch_sub(1, std::memory_order_relaxed);
  exceptions.put_back();
  return !refusal;
}

void set_aside_until_none(Tally& tally) {
  bool was_aside = set_aside_within_us(
      [](void* tally_, weir_waiter* waiter) {
        if (!static_cast<Tally*>(tally_)->wait(waiter)) waiter->wake(waiter);
      },
      &tally);
  if (was_aside) tally.waited();
}

bool make_way() {
  return set_aside_within_us([](void*, weir_waiter* waiter) { waiter->wake(waiter); }, nullptr);
}

bool is_ground(const Member& member, const Task* below, const Task& task) {
  for (const Task* t = below; t; t = t->below)
    if (!waits_for(member, *t, task)) return false;
  return true;
}

void come_to_ground() {
  int refusal;
  Task* task = movable_task(&refusal);
  if (!task || task->lies_on == Below::nothing || base::self().lock_depth > 0) return;
  if (task->lies_on == Below::waits && is_ground(*task->home, task->below, *task)) return;
  task->wants_ground_ns = base::now_ns();
  task->goes_home = true;
  make_way();
  task->goes_home = false;
  task->wants_ground_ns = 0;
}

namespace {

// Sets the current task aside; it goes on on the thread of `home`.
int move_to(Member& home) {
  wait::ExceptionState exceptions;
  exceptions.take();
  int refusal = step_aside(
      [](void* home_, weir_waiter* waiter) {
        auto& task = *static_cast<Task*>(waiter);
        auto* to = static_cast<Member*>(home_);
        task.home->aside.fetch_sub(1, std::memory_order_relaxed);
        to->aside.fetch_add(1, std::memory_order_relaxed);
        task.home = to;
        task.goes_home = true;
        waiter->wake(waiter);
      },
      &home);
  exceptions.put_back();
  if (!refusal) member_now().current->goes_home = false;
  return refusal;
}

template <typename Is>
int move_to_member_that(Is is) {
  Member& here = member_now();
  if (is(here)) return 0;
  for (Member* m = here.region->members.load(std::memory_order_acquire); m; m = m->next)
    if (is(*m)) return move_to(*m);
  return WEIR_REFUSED_CONSTRUCT;
}

int go_home(std::int32_t tid) {
  return move_to_member_that([tid](const Member& member) { return member.worker->tid == tid; });
}

}  // namespace

void leave_for_now() {
  wait::ExceptionState exceptions;
  exceptions.take();
  int refusal = step_aside([](void*, weir_waiter* waiter) {
    meter::gauges.ready.rise();
    waiter->wake(waiter);
  }, nullptr);
  exceptions.put_back();
  if (refusal) return;
  meter::gauges.ready.fall();
  meter::gauges.resumed.fetch_add(1, std::memory_order_relaxed);
}

std::int32_t at_home(std::int32_t gtid) {
  if (gtid_here(gtid) == gtid) return gtid;
  if (member_here()) move_to_member_that([gtid](const Member& member) { return member.gtid == gtid; });
  return member_now().gtid;
}

void resume(Member& member, Task& task) {
  Movable movable(member);
  libomp().task(nullptr, member.gtid, task.kmp);
}

namespace {

// Tasks go on where they began: with this thread in a loop that waits for one of them, nobody else would let it. Not on top of
// libtbb: should one wait in there, too, libtbb might go on with it on another thread.
int serve() {
  Member* member = member_here();
  if (!member || is_in_onetbb_too()) return false;
  OnlyBelow only_below(*member);
  return go_on_with_one(*member) || go_on_at_last(*member, Below::blocks);
}

}  // namespace

constinit const weir_runtime omp_runtime = {
    WEIR_RUNTIME_VERSION, "omp", refuses, set_aside, go_home, serve,
};

}  // namespace weir::omp
