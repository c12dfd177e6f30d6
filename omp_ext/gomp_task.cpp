// SPDX-License-Identifier: Apache-2.0
// Tasks in code by gcc, over LLVM's libomp. (libomp's own GOMP_task goes past the names that we interpose.)
#include <cstring>

#include "omp_ext/awaited_event.h"
#include "omp_ext/gomp_below.h"
#include "omp_ext/gomp_depend.h"
#include "omp_ext/gomp_wait.h"
#include "omp_ext/next.h"
#include "omp_ext/order.h"
#include "omp_ext/task_memory.h"
#include "omp_ext/task_region.h"
#include "omp_ext/task_share.h"
#include "omp_ext/waits.h"

extern "C" void GOMP_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long bytes, long align, bool deferred,
                          unsigned flags, void** depend, int priority, void* detach);

namespace weir::omp {

void* allow_event(Ident* place, std::int32_t gtid, KmpTask* kmp);

namespace {

using Body = void (*)(void*);
using Copy = void (*)(void*, void*);

constinit Next<void(Body, void*, Copy, long, long, bool, unsigned, void**, int, void*)> next_task{"GOMP_task"};
constinit Next<void(Body, void*, Copy, long, long, unsigned, unsigned long, int, long, long, long)> next_taskloop{
    "GOMP_taskloop"};
constinit Next<void(Body, void*, Copy, long, long, unsigned, unsigned long, int, unsigned long long,
                    unsigned long long, unsigned long long)>
    next_taskloop_ull{"GOMP_taskloop_ull"};
constinit Next<void(std::uintptr_t*)> next_reduction_register{"GOMP_taskgroup_reduction_register"};
constinit Next<void(std::size_t, std::size_t, void**)> next_reduction_remap{"GOMP_task_reduction_remap"};
constinit Next<void()> next_taskgroup_start{"GOMP_taskgroup_start"};
constinit Next<void()> next_taskgroup_end{"GOMP_taskgroup_end"};
constinit Next<int()> next_num_threads{"omp_get_num_threads"};

enum : unsigned {
  gomp_untied = 1,
  gomp_final = 2,
  gomp_depend = 8,
  gomp_up = 1 << 8,
  gomp_grainsize = 1 << 9,
  gomp_if = 1 << 10,
  gomp_nogroup = 1 << 11,
  gomp_reduction = 1 << 12,
  gomp_detach = 1 << 13,
  gomp_strict = 1 << 14,
};

// What a task is made from.
struct Made {
  Body body;
  void* data;
  Copy copy;
  long bytes;
  long align;
  unsigned flags;
};

void fill(const Made& from, void* to) {
  if (from.copy) from.copy(to, from.data);
  else std::memcpy(to, from.data, from.bytes);
}

void* aligned(void* at, long align) {
  auto word = reinterpret_cast<std::uintptr_t>(at);
  return reinterpret_cast<void*>((word + align - 1) / align * align);
}

std::int32_t kmp_flags(unsigned flags) {
  std::int32_t result = flags & gomp_untied ? 0 : flag_tied;
  if (flags & gomp_final) result |= flag_final;
  if (flags & gomp_detach) result |= flag_detachable;
  return result;
}

// The task with its own copy of the data, at task.gomp_data.
Task& create(Member& member, const Made& from) {
  std::size_t room = from.bytes + (from.align ? from.align - 1 : 0);
  KmpTask* kmp = create_task(member, nullptr, kmp_flags(from.flags), sizeof(KmpTask), room, nullptr);
  Task& task = *task_of(kmp);
  task.gomp_body = from.body;
  task.gomp_data = from.align ? aligned(kmp->shareds, from.align) : kmp->shareds;
  return task;
}

void queue(Member& member, Task& task, void** depend) {
  about_to_queue(task, depend ? GompDepends(depend).count() : 0);
  {
    Movable movable(member);
    if (depend) {
      GompDepends depends(depend);
      auto* list = static_cast<Depend*>(__builtin_alloca((depends.count() + 1) * sizeof(Depend)));
      for (std::int32_t i = 0; i < depends.count(); ++i) list[i] = depends[i];
      libomp().task_with_deps(nullptr, member.gtid, task.kmp, depends.count(), list, 0, nullptr);
    } else {
      libomp().task(nullptr, member.gtid, task.kmp);
    }
  }
  after_queueing(member);
}

void queue_placed(Member& member, Task& task) {
  about_to_queue(task, 0);
  queue_in_order(task.place, task.kmp);
  after_queueing(member);
}

// gcc's code finds a detached task's event where it said, and in the first word of the task's data.
void tell_event(void* event, void* detach, void* data) {
  *static_cast<void**>(detach) = event;
  if (data) *static_cast<void**>(data) = event;
}

// One of libomp's own that runs gcc's body: its GOMP_task knows no events, nor an order that is ours.
struct Outside {
  KmpTask kmp;
  Body body;
  Place* place;
  static std::int32_t run(std::int32_t, KmpTask* kmp) {
    auto* task = reinterpret_cast<Outside*>(kmp);
    task->body(kmp->shareds);
    leave_place(task->place);
    return 0;
  }
};

KmpTask* create_outside(std::int32_t gtid, const Made& from, Place* place) {
  long align = from.align ? from.align : 1;
  KmpTask* kmp = libomp().task_alloc(nullptr, gtid, kmp_flags(from.flags), sizeof(Outside), task_memory(from.bytes + align - 1),
                                     Outside::run);
  auto* task = reinterpret_cast<Outside*>(kmp);
  task->body = from.body;
  task->place = place;
  kmp->shareds = aligned(kmp->shareds, align);
  return kmp;
}

void queue_detached(const Made& from, void** depend, void* detach) {
  std::int32_t gtid = libomp().global_thread_num(nullptr);
  KmpTask* kmp = create_outside(gtid, from, nullptr);
  tell_event(allow_event(nullptr, gtid, kmp), detach, from.data);
  fill(from, kmp->shareds);
  if (!depend) return static_cast<void>(libomp().task(nullptr, gtid, kmp));
  GompDepends depends(depend);
  auto* list = static_cast<Depend*>(__builtin_alloca((depends.count() + 1) * sizeof(Depend)));
  for (std::int32_t i = 0; i < depends.count(); ++i) list[i] = depends[i];
  libomp().task_with_deps(nullptr, gtid, kmp, depends.count(), list, 0, nullptr);
}

// False: that can't be. (Without a place there, for lack of memory or as libomp would not call one that is cancelled, which then never
// left it, who creates a task waits for it.)
bool queue_outside_in_order(const Made& from, void** depend, void* detach) {
  if (!is_over_libomp() || !has_order(nullptr)) return false;
  const GompDepends depends(depend);
  const std::int32_t gtid = libomp().global_thread_num(nullptr);
  Place* place = libomp().cancellation() ? nullptr : take_place(nullptr, depends);
  if (!place) await_order(nullptr, depends);
  KmpTask* kmp = create_outside(gtid, from, place);
  if (from.flags & gomp_detach) {
    void* event = allow_event(nullptr, gtid, kmp);
    if (place) await_event(place, event);
    tell_event(event, detach, from.data);
  }
  fill(from, kmp->shareds);
  if (place) {
    queue_in_order(place, kmp);
  } else {
    libomp().task(nullptr, gtid, kmp);
    libomp().taskwait(nullptr, gtid);
  }
  return true;
}

void run_outside(const Made& from, void* data) {
  std::int32_t gtid = libomp().global_thread_num(nullptr);
  KmpTask* kmp = libomp().task_alloc(nullptr, gtid, kmp_flags(from.flags) | flag_tied, sizeof(KmpTask), task_memory(0), nullptr);
  libomp().task_begin_if0(nullptr, gtid, kmp);
  from.body(data);
  libomp().task_complete_if0(nullptr, gtid, kmp);
}

void run_undeferred(Member& member, Task& task) {
  begin_undeferred(member, task, nullptr);
  task.gomp_body(task.gomp_data);
  end_undeferred(member, task, nullptr);
}

template <typename Number>
std::uint64_t trips_of(bool up, Number start, Number end, Number step) {
  if (up ? start >= end : start <= end) return 0;
  return up ? (end - start + step - 1) / step
            : (static_cast<std::uint64_t>(start - end) + static_cast<std::uint64_t>(-step) - 1) /
                  static_cast<std::uint64_t>(-step);
}

// Behind both bounds lies what the loop reduces.
std::uintptr_t* reductions_of(const Made& from) {
  return reinterpret_cast<std::uintptr_t**>(from.data)[2];
}

// The loop has no iteration: its reductions were never made ready, and gcc's code has nothing to give back.
void leave_empty(const Made& from) {
  if ((from.flags & (gomp_nogroup | gomp_reduction)) == gomp_reduction) reductions_of(from)[2] = 0;
}

template <typename Number>
void taskloop(Member& member, const Made& from, unsigned long amount, Number start, Number end, Number step) {
  std::uint64_t trips = trips_of(from.flags & gomp_up, start, end, step);
  if (!trips) return leave_empty(from);
  int schedule = !amount ? 0 : from.flags & gomp_grainsize ? 1 : 2;
  Share share = share_out(trips, schedule, amount, from.flags & gomp_strict, member.region->threads);
  bool group = !(from.flags & gomp_nogroup);
  if (group) {
    libomp().taskgroup(nullptr, member.gtid);
    open_group(member);
    if (from.flags & gomp_reduction) next_reduction_register(reductions_of(from));
  }
  for (std::uint64_t i = 0; i < share.tasks; ++i) {
    Task& task = create(member, from);
    task.of_its_thread = from.flags & gomp_reduction;  // gcc asks for the thread's number, to find its part
    fill(from, task.gomp_data);
    auto* bounds = static_cast<Number*>(task.gomp_data);
    bounds[0] = start;
    start = i + 1 == share.tasks ? end : start + step * static_cast<Number>(share.iterations_of(i));
    bounds[1] = start;
    if (from.flags & gomp_if) queue(member, task, nullptr);
    else run_undeferred(member, task);
  }
  if (!group) return;
  Member& now = await_group_and_close();
  Movable movable(now);
  libomp().end_taskgroup(nullptr, now.gtid);
}

template <typename Number>
struct Piece {
  const Made& from;
  Number start, end;
  static void copy(void* to, void* piece_) {
    auto& piece = *static_cast<Piece*>(piece_);
    fill(piece.from, to);
    auto* bounds = static_cast<Number*>(to);
    bounds[0] = piece.start;
    bounds[1] = piece.end;
  }
};

// The same data in more memory.
struct Widened {
  const Made& from;
  static void copy(void* to, void* widened) { fill(static_cast<Widened*>(widened)->from, to); }
};

// LLVM's GOMP_taskloop takes a strict grainsize for one that is not; of a loop downwards by more than one it aborts, or loses
// what is lastprivate. These are made of its plain tasks, and so are those whose tasks need more memory. In one without iterations
// it runs some.
template <typename Number, typename Loop>
void taskloop_outside(Loop& next, const Made& from, unsigned long amount, int priority, Number start, Number end, Number step) {
  bool up = from.flags & gomp_up, strict = from.flags & gomp_strict, grainsize = from.flags & gomp_grainsize;
  std::uint64_t trips = trips_of(up, start, end, step);
  if (!trips) return leave_empty(from);
  if (up && !(strict && grainsize) && !may_end_before_its_team())
    return next(from.body, from.data, from.copy, from.bytes, from.align, from.flags, amount, priority, start, end, step);
  int schedule = !amount ? 0 : grainsize ? 1 : 2;
  Share share = share_out(trips, schedule, amount, strict, next_num_threads());
  bool group = !(from.flags & gomp_nogroup);
  if (group) {
    next_taskgroup_start();
    if (from.flags & gomp_reduction) next_reduction_register(reductions_of(from));
  }
  for (std::uint64_t i = 0; i < share.tasks; ++i) {
    Number until = i + 1 == share.tasks ? end : start + step * static_cast<Number>(share.iterations_of(i));
    Piece<Number> piece{from, start, until};
    GOMP_task(from.body, &piece, Piece<Number>::copy, from.bytes, from.align, from.flags & gomp_if,
              from.flags & (gomp_untied | gomp_final), nullptr, priority, nullptr);
    start = until;
  }
  if (group) next_taskgroup_end();
}

}  // namespace
}  // namespace weir::omp

using namespace weir::omp;

WEIR_INTERPOSED void GOMP_task(Body body, void* data, Copy copy, long bytes, long align, bool deferred, unsigned flags,
                               void** depend, int priority, void* detach) {
  if (!(flags & gomp_depend)) depend = nullptr;
  if ((flags & gomp_detach) && !deferred && is_over_libomp()) {
    AwaitedEvent event;
    tell_event(&event, detach, data);
    return GOMP_task(body, data, copy, bytes, align, deferred, flags & ~gomp_detach, depend, priority, nullptr);
  }
  Member* member = member_here();
  Made from{body, data, copy, bytes, align, flags};
  if (!member) {
    if (deferred && depend && may_end_before_its_team() && queue_outside_in_order(from, depend, detach)) return;
    if ((flags & gomp_detach) && is_over_libomp()) return queue_detached(from, depend, detach);
    // LLVM's GOMP_task runs an undeferred task on the creator's own data, which is not laid out as a copy is.
    if (copy && !deferred) {
      void* own = aligned(__builtin_alloca(bytes + align), align ? align : 1);
      copy(own, data);
      data = own;
      copy = nullptr;
    }
    if (!deferred && depend && waits_for_depends(nullptr, depend)) {
      flags &= ~gomp_depend;
      depend = nullptr;
    }
    Widened widened{from};
    if (long memory = task_memory(bytes); deferred && memory > bytes)
      return next_task(body, &widened, Widened::copy, memory, align, deferred, flags, depend, priority, detach);
    if (!deferred && may_end_before_its_team() && is_over_libomp()) return run_outside(from, data);
    return next_task(body, data, copy, bytes, align, deferred, flags, depend, priority, detach);
  }
  Place* place = nullptr;
  const bool ordered = depend && member->region->orders_tasks(), in_time = !member->current->final;
  if (ordered && deferred && in_time) {
    place = take_place(member->current, GompDepends(depend));
    deferred = place != nullptr;
  }
  if (depend && (!deferred || (ordered && !in_time))) {
    waits_for_depends(member, depend);
    member = &member_now();
    depend = nullptr;
  }
  Task& task = create(*member, from);
  task.place = place;
  if (flags & gomp_detach) tell_event(allow_event(nullptr, member->gtid, task.kmp), detach, data);
  if (deferred || copy) fill(from, task.gomp_data);
  else task.gomp_data = data;
  if (place) queue_placed(*member, task);
  else if (deferred) queue(*member, task, depend);
  else run_undeferred(*member, task);
}

WEIR_INTERPOSED void GOMP_taskloop(Body body, void* data, Copy copy, long bytes, long align, unsigned flags,
                                   unsigned long amount, int priority, long start, long end, long step) {
  Member* member = member_here();
  Made from{body, data, copy, bytes, align, flags};
  if (!member) return taskloop_outside(next_taskloop, from, amount, priority, start, end, step);
  taskloop(*member, from, amount, start, end, step);
}

WEIR_INTERPOSED void GOMP_taskloop_ull(Body body, void* data, Copy copy, long bytes, long align, unsigned flags,
                                       unsigned long amount, int priority, unsigned long long start,
                                       unsigned long long end, unsigned long long step) {
  Member* member = member_here();
  Made from{body, data, copy, bytes, align, flags};
  if (!member) return taskloop_outside(next_taskloop_ull, from, amount, priority, start, end, step);
  taskloop(*member, from, amount, start, end, step);
}

// As with clang's: the task now has pointers to its thread's copies.
WEIR_INTERPOSED void GOMP_task_reduction_remap(std::size_t count, std::size_t originals, void** pointers) {
  if (Member* member = member_here()) member->current->of_its_thread = true;
  next_reduction_remap(count, originals, pointers);
}
