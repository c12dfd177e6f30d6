// SPDX-License-Identifier: Apache-2.0
// The entry points of libtbb in which a thread of the program runs tasks or waits for them. Their names and arguments are
// libtbb.so.12's ABI.
#include <atomic>
#include <cstddef>

#include "base/clock.h"
#include "base/thread.h"
#include "meter/counters.h"
#include "sys/process.h"
#include "tbb_ext/machine/arrival.h"
#include "tbb_ext/machine/coming.h"
#include "tbb_ext/machine/entry.h"
#include "tbb_ext/machine/numbering.h"
#include "wait/look_order.h"
#include "wait/unseen_locks.h"
#include "weir/runtime.h"

namespace weir::tbb {
namespace {

using Waiting = void(void*, void*, void*, void*);

constinit Entry<Waiting> execute_and_wait{
    "_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_"};
constinit Entry<Waiting> wait_for{"_ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE"};
constinit Entry<Waiting> parallel_pipeline{
    "_ZN3tbb6detail2r117parallel_pipelineERNS0_2d118task_group_contextEmRKNS2_11filter_nodeE"};
constinit Entry<void(void*)> initialize_context{"_ZN3tbb6detail2r110initializeERNS0_2d118task_group_contextE"};
constinit Entry<void*(void**, std::size_t)> allocate{"_ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEm"};
constinit Entry<void(void*, void*)> spawn{"_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE"};
constinit Entry<void(void*, void*)> enqueue{"_ZN3tbb6detail2r17enqueueERNS0_2d14taskEPNS2_15task_arena_baseE"};
constinit Entry<void(void*, void*, void*)> enqueue_in_context{
    "_ZN3tbb6detail2r17enqueueERNS0_2d14taskERNS2_18task_group_contextEPNS2_15task_arena_baseE"};
constinit Entry<void(void*, void*, void*)> wait_on_address{"_ZN3tbb6detail2r115wait_on_addressEPvRNS0_2d113delegate_baseEm"};
constinit Entry<Waiting> wait_for_queue{
    "_ZN3tbb6detail2r126wait_bounded_queue_monitorEPNS1_18concurrent_monitorEmlRNS0_2d113delegate_baseE"};

// A worker, or a thread that is inside already, is marked; nested calls may even return on another thread. `site`: where the
// call returns to.
inline void pass(const void* site, Entry<Waiting>& entry, void* a, void* b, void* c, void* d) {
  loop_has_begun();
  base::Thread& thread = base::self_unsuspended();
  bool is_inside = thread.place & WEIR_TBB_PLACE;
  const void* outer = thread.tbb_wait;
  thread.tbb_wait = is_inside ? __builtin_frame_address(0) : nullptr;
  const weir_tbb_adapter* here = is_inside && !numbers_are_told() ? nullptr : adapter();
  if (!here) entry(a, b, c, d);
  else if (is_inside) here->within_task(entry.function(), a, b, c, d);
  else here->within(site, entry.function(), a, b, c, d);
  base::self().tbb_wait = outer;
}

// d1::delegate_base: its first virtual function is the condition.
struct Condition {
  bool (*const* functions)(const Condition*);
  bool holds() const { return functions[0](this); }
};

// A thread is about to sleep in libtbb, in a task, until another task does something. That one may have been set aside, and
// need this very thread. True: the condition came to be `wanted` meanwhile. False: there is nothing for it but to sleep.
bool met_by_standing_back(const void* condition, bool wanted) {
  if (!(base::self_unsuspended().place & WEIR_TBB_PLACE)) return false;
  constexpr std::int64_t patience_ns = base::ns_per_ms, least_ns = 10'000;
  const std::int64_t since = base::now_ns();
  const auto is_met = [=] { return static_cast<const Condition*>(condition)->holds() == wanted; };
  while (!is_met()) {
    // Hundreds that each hold up a thread for so long would keep off the one whose turn it is: a queue goes by turns.
    const std::int64_t until = base::now_ns() + wait::look_order.share_of(patience_ns, least_ns);
    while (meter::gauges.aside.load() > 0 && wait::nobody_holds_aside() && !is_met() && base::now_ns() < until) sys::yield();
    if (is_met()) break;
    if (!weir_stand_back(since)) return false;
  }
  return true;
}

}  // namespace
}  // namespace weir::tbb

using namespace weir::tbb;

#define WEIR_ENTRY(symbol) extern "C" __attribute__((visibility("default"))) void symbol

WEIR_ENTRY(_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_)
(void* task, void* context, void* wait_context, void* wait_group) {
  pass(__builtin_return_address(0), execute_and_wait, task, context, wait_context, wait_group);
}

WEIR_ENTRY(_ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE)(void* wait_context, void* group) {
  pass(__builtin_return_address(0), wait_for, wait_context, group, nullptr, nullptr);
}

WEIR_ENTRY(_ZN3tbb6detail2r117parallel_pipelineERNS0_2d118task_group_contextEmRKNS2_11filter_nodeE)
(void* context, void* tokens, void* filters) {
  pass(__builtin_return_address(0), parallel_pipeline, context, tokens, filters, nullptr);
}

namespace {

using Callback = void (*)(void*, void*);
constinit Entry<void(Callback, void*)> suspend{"_ZN3tbb6detail2r17suspendEPFvPvPNS1_18suspend_point_typeEES2_"};
struct OfProgram {
  Callback callback;
  void* argument;
};

void call_in_place(void* of, void* point) {
  OfProgram program = *static_cast<OfProgram*>(of);  // whose frame is gone once it hands the point over
  ++weir::base::self().lock_depth;
  program.callback(program.argument, point);
  if (weir::base::Thread& thread = weir::base::self(); thread.lock_depth > 0) --thread.lock_depth;
}

bool is_of_adapter(const void* site) {
  static constinit std::atomic<const void*> known{nullptr};  // it has one
  if (known.load(std::memory_order_relaxed) == site) return true;
  if (!from_adapter(site)) return false;
  known.store(site, std::memory_order_relaxed);
  return true;
}

}  // namespace

// The program's own way to set a task aside. What it calls then stands on a stack of libtbb's with the point of that very task: weir would
// set it aside by the same point, and the program's resume would end that. So calls there wait in place, as with a lock held.
WEIR_ENTRY(_ZN3tbb6detail2r17suspendEPFvPvPNS1_18suspend_point_typeEES2_)(Callback callback, void* argument) {
  if (is_of_adapter(__builtin_return_address(0))) return suspend(callback, argument);
  OfProgram program{callback, argument};
  suspend(call_in_place, &program);
}

// Every algorithm and task group begins with a context, before libtbb makes an arena or a thread: here the adapter comes,
// when libtbb holds no lock.
WEIR_ENTRY(_ZN3tbb6detail2r110initializeERNS0_2d118task_group_contextE)(void* context) {
  adapter();
  initialize_context(context);
}

// The first task of an algorithm, or one of a task group; those that a task makes come by another name.
extern "C" __attribute__((visibility("default"))) void* _ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEm(
    void** pool, std::size_t bytes) {
  void* task = allocate(pool, bytes);
  loop_begins(task);
  return task;
}

// A task that is handed over belongs to no loop that begins: a loop's first one is handed over by who waits for it.
WEIR_ENTRY(_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE)(void* task, void* context) {
  loop_has_begun();
  spawn(task, context);
}

WEIR_ENTRY(_ZN3tbb6detail2r17enqueueERNS0_2d14taskEPNS2_15task_arena_baseE)(void* task, void* arena) {
  loop_has_begun();
  enqueue(task, arena);
}

WEIR_ENTRY(_ZN3tbb6detail2r17enqueueERNS0_2d14taskERNS2_18task_group_contextEPNS2_15task_arena_baseE)
(void* task, void* context, void* arena) {
  loop_has_begun();
  enqueue_in_context(task, context, arena);
}

// tbb::mutex and rw_mutex, when they are taken. By libtbb too, for its own lists of arenas: a task set aside in there, with
// another of libtbb's locks held, would never go on, since whoever makes it go on needs that lock.
WEIR_ENTRY(_ZN3tbb6detail2r115wait_on_addressEPvRNS0_2d113delegate_baseEm)
(void* address, void* until, void* context) {
  bool own = !weir_tbb_text.bytes || from_libtbb(__builtin_return_address(0));
  if (own) return wait_on_address(address, until, context);
  weir::wait::unseen_locks.somebody_wants();
  if (met_by_standing_back(until, true)) return;
  weir::base::Thread& thread = weir::base::self();  // it sleeps with its task under way, not for lack of one
  thread.wants_tbb_lock = true;
  wait_on_address(address, until, context);
  thread.wants_tbb_lock = false;
}

// concurrent_bounded_queue, full or empty. The condition may throw: that the queue was aborted.
WEIR_ENTRY(_ZN3tbb6detail2r126wait_bounded_queue_monitorEPNS1_18concurrent_monitorEmlRNS0_2d113delegate_baseE)
(void* monitors, void* tag, void* target, void* as_long_as) {
  bool own = !weir_tbb_text.bytes || from_libtbb(__builtin_return_address(0));
  if (own || !met_by_standing_back(as_long_as, false)) wait_for_queue(monitors, tag, target, as_long_as);
}
