// SPDX-License-Identifier: Apache-2.0
// The entry points of libtbb in which a thread of the program runs tasks or waits for them, and those by which the
// program says how many threads it wants. Their names and arguments are libtbb.so.12's ABI.
#include <dlfcn.h>

#include <atomic>
#include <cstdint>

#include "base/thread.h"
#include "tbb_ext/machine/arrival.h"
#include "tbb_ext/machine/coming.h"
#include "tbb_ext/machine/libtbb.h"
#include "tbb_ext/machine/pieces.h"
#include "tbb_ext/machine/processors.h"
#include "wait/lane.h"

namespace weir::tbb {
namespace {

// The next definition in the program's order of look-up; for a libtbb that came by dlopen, out of everybody's sight but
// its loader's, that libtbb's own.
class Entry {
 public:
  explicit constexpr Entry(const char* name) : name_(name) {}
  weir_tbb_entry function() {
    weir_tbb_entry found = function_.load(std::memory_order_relaxed);
    if (!found) [[unlikely]] function_.store(found = find(), std::memory_order_relaxed);
    return found;
  }

 private:
  weir_tbb_entry find() const {
    void* found = dlsym(RTLD_NEXT, name_);
    return reinterpret_cast<weir_tbb_entry>(found ? found : libtbb_name(name_));
  }
  const char* name_;
  std::atomic<weir_tbb_entry> function_{nullptr};
};

constinit Entry execute_and_wait{
    "_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_"};
constinit Entry wait_for{"_ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE"};
constinit Entry parallel_pipeline{
    "_ZN3tbb6detail2r117parallel_pipelineERNS0_2d118task_group_contextEmRKNS2_11filter_nodeE"};
constinit Entry initialize_arena{"_ZN3tbb6detail2r110initializeERNS0_2d115task_arena_baseE"};
constinit Entry execution_slot{"_ZN3tbb6detail2r114execution_slotEPKNS0_2d114execution_dataE"};
constinit Entry initialize_context{"_ZN3tbb6detail2r110initializeERNS0_2d118task_group_contextE"};
constinit Entry max_concurrency{"_ZN3tbb6detail2r115max_concurrencyEPKNS0_2d115task_arena_baseE"};
constinit Entry allocate{"_ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEm"};
constinit Entry wait_on_address{"_ZN3tbb6detail2r115wait_on_addressEPvRNS0_2d113delegate_baseEm"};
constinit Entry wait_for_queue{
    "_ZN3tbb6detail2r126wait_bounded_queue_monitorEPNS1_18concurrent_monitorEmlRNS0_2d113delegate_baseE"};
constinit Entry create_control{"_ZN3tbb6detail2r16createERNS0_2d114global_controlE"};

// libtbb lets the first arena say how many workers there may be; later it ignores, with a warning, who wants more.
constinit std::atomic<bool> begun{false};

// A worker, or a thread that is inside already, is marked; nested calls may even return on another thread. `site`: where the
// call returns to.
inline void pass(const void* site, Entry& entry, void* a, void* b, void* c, void* d) {
  loop_has_begun();
  if (!begun.load(std::memory_order_relaxed)) begun.store(true);
  const weir_tbb_adapter* here = base::self_unsuspended().place & WEIR_TBB_PLACE ? nullptr : adapter();
  if (here) here->within(site, entry.function(), a, b, c, d);
  else entry.function()(a, b, c, d);
}

// Fields of libtbb.so.12's objects, as its headers have had them since the first.
struct Arena {
  std::intptr_t version;
  std::intptr_t state;
  void* arena;
  int max_concurrency;
};
struct Control {
  std::size_t value;
  std::intptr_t reserved;
  int parameter;  // 0: max_allowed_parallelism
};

// The program asks for its slot's number (partitioners ask with an object, and for their own use): what it keeps by that
// number it may keep over a call, and a task that is set aside may come back in another slot. From here on tasks wait
// where they are. None that is set aside now can know a number: this is the first time one is asked for.
void slot_is_asked_for() {
  hold_to_the_truth();
  wait::Policy& policy = wait::policy;
  if (!policy.automatic.load(std::memory_order_relaxed) || policy.best.load() != wait::Lane::suspend) return;
  policy.reason.store(meter::Reason::thread_bound);
  policy.best.store(wait::Lane::park);
}

void wants(std::int64_t threads) {
  if (threads <= 0 || threads > 1'000'000) return;
  if (const weir_tbb_adapter* here = adapter()) here->wants(threads);
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
  while (static_cast<const Condition*>(condition)->holds() != wanted)
    if (!weir_stand_back()) return false;
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

WEIR_ENTRY(_ZN3tbb6detail2r110initializeERNS0_2d115task_arena_baseE)(void* arena) {
  adapter();
  if (!begun.exchange(true)) wants(static_cast<Arena*>(arena)->max_concurrency);
  initialize_arena.function()(arena, nullptr, nullptr, nullptr);
}

// Every algorithm and task group begins with a context, before libtbb makes an arena or a thread: here the adapter comes,
// when libtbb holds no lock.
WEIR_ENTRY(_ZN3tbb6detail2r110initializeERNS0_2d118task_group_contextE)(void* context) {
  adapter();
  initialize_context.function()(context, nullptr, nullptr, nullptr);
}

// The first task of an algorithm, or one of a task group; those that a task makes come by another name.
extern "C" __attribute__((visibility("default"))) void* _ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEm(
    void** pool, std::size_t bytes) {
  loop_begins();
  return reinterpret_cast<void* (*)(void**, std::size_t)>(reinterpret_cast<void*>(allocate.function()))(pool, bytes);
}

// tbb::mutex and rw_mutex, when they are taken. By libtbb too, for its own lists of arenas: a task set aside in there, with
// another of libtbb's locks held, would never go on, since whoever makes it go on needs that lock.
WEIR_ENTRY(_ZN3tbb6detail2r115wait_on_addressEPvRNS0_2d113delegate_baseEm)
(void* address, void* until, void* context) {
  bool own = !weir_tbb_text.bytes || from_libtbb(__builtin_return_address(0));
  if (own || !met_by_standing_back(until, true)) wait_on_address.function()(address, until, context, nullptr);
}

// concurrent_bounded_queue, full or empty. The condition may throw: that the queue was aborted.
WEIR_ENTRY(_ZN3tbb6detail2r126wait_bounded_queue_monitorEPNS1_18concurrent_monitorEmlRNS0_2d113delegate_baseE)
(void* monitors, void* tag, void* target, void* as_long_as) {
  bool own = !weir_tbb_text.bytes || from_libtbb(__builtin_return_address(0));
  if (own || !met_by_standing_back(as_long_as, false)) wait_for_queue.function()(monitors, tag, target, as_long_as);
}

WEIR_ENTRY(_ZN3tbb6detail2r16createERNS0_2d114global_controlE)(void* control_) {
  auto* control = static_cast<Control*>(control_);
  if (control->parameter == 0) wants(static_cast<std::int64_t>(control->value));
  create_control.function()(control_, nullptr, nullptr, nullptr);
}

extern "C" __attribute__((visibility("default"))) unsigned short
_ZN3tbb6detail2r114execution_slotEPKNS0_2d114execution_dataE(const void* execution) {
  // affinity_partitioner and static_partitioner begin with the slot, as a hint.
  if (!execution) partitioner_has_asked() ? void() : slot_is_asked_for();
  else if (more_pieces_wanted()) return static_cast<unsigned short>(-1);  // no slot of ours: stolen
  return reinterpret_cast<unsigned short (*)(const void*)>(reinterpret_cast<void*>(execution_slot.function()))(execution);
}

extern "C" __attribute__((visibility("default"))) int _ZN3tbb6detail2r115max_concurrencyEPKNS0_2d115task_arena_baseE(
    const void* arena) {
  int said = reinterpret_cast<int (*)(const void*)>(reinterpret_cast<void*>(max_concurrency.function()))(arena);
  return !arena && partitioner_asks() ? concurrency_of_loop(said) : concurrency(said);
}
