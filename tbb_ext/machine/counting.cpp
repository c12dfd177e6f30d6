// SPDX-License-Identifier: Apache-2.0
// The entry points of libtbb by which a program says how many threads it wants, asks how many there are, or numbers what it
// has by them. It is told what it would be without us: the numbers that libtbb has from us are for libtbb alone. (Some of them it asks
// for by the same entry points: an arena is made of as many slots as that says.)
#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/thread.h"
#include "meter/counters.h"
#include "meter/overlap.h"
#include "tbb_ext/machine/arrival.h"
#include "tbb_ext/machine/coming.h"
#include "tbb_ext/machine/counting.h"
#include "tbb_ext/machine/entry.h"
#include "tbb_ext/machine/libtbb.h"
#include "tbb_ext/machine/numbering.h"
#include "tbb_ext/machine/pieces.h"
#include "tbb_ext/machine/processors.h"
#include "wait/lane.h"

namespace weir::tbb {
namespace {

// Fields of libtbb.so.12's objects, as its headers have had them since the first.
struct Arena {
  std::intptr_t traits;  // bit 0: the last two fields are there
  std::intptr_t state;
  void* arena;
  int max_concurrency;   // less than 1: libtbb is to say, and writes it here
  unsigned reserved;
  int priority;
  int numa_id, core_type, max_threads_per_core;  // -1: any

  bool is_automatic() const { return max_concurrency < 1; }
  bool is_everywhere() const { return numa_id == -1 && (!(traits & 1) || (core_type == -1 && max_threads_per_core == -1)); }
};
struct Control {
  std::size_t value;
  std::intptr_t reserved;
  int parameter;
};
constexpr int max_allowed_parallelism = 0;
// The program's controls, of which any allows but one thread.
constinit std::atomic<int> controls_of_one{0};

constinit Entry<void(Arena*)> initialize{"_ZN3tbb6detail2r110initializeERNS0_2d115task_arena_baseE"};
constinit Entry<bool(Arena*)> attach{"_ZN3tbb6detail2r16attachERNS0_2d115task_arena_baseE"};
constinit Entry<int(const void*)> max_concurrency{"_ZN3tbb6detail2r115max_concurrencyEPKNS0_2d115task_arena_baseE"};
constinit Entry<int(int)> default_of_node{"_ZN3tbb6detail2r124numa_default_concurrencyEi"};
constinit Entry<int(const void*, std::intptr_t)> default_within{
    "_ZN3tbb6detail2r131constraints_default_concurrencyERKNS0_2d111constraintsEl"};
constinit Entry<void(Control*)> create{"_ZN3tbb6detail2r16createERNS0_2d114global_controlE"};
constinit Entry<void(Control*)> destroy{"_ZN3tbb6detail2r17destroyERNS0_2d114global_controlE"};
constinit Entry<std::size_t(int)> active_value{"_ZN3tbb6detail2r127global_control_active_valueEi"};
constinit Entry<unsigned short(const void*)> execution_slot{
    "_ZN3tbb6detail2r114execution_slotEPKNS0_2d114execution_dataE"};
constinit Entry<void(void*, bool)> observe{"_ZN3tbb6detail2r17observeERNS0_2d123task_scheduler_observerEb"};

void no_stand_ins() {
  if (!hold_to_the_truth()) return;
  if (const weir_tbb_adapter* here = adapter()) here->no_stand_ins();
}

// The program asks for its slot's number (partitioners ask with an object, and for their own use): what it keeps by that
// number it may keep over a call, and a task that is set aside may come back in another slot. From here on tasks wait
// where they are. None that is set aside now can know a number: this is the first time one is asked for.
void slot_is_asked_for() {
  no_stand_ins();
  wait::keep_tasks_on_threads();
}

constexpr auto no_slot = static_cast<unsigned short>(-1);

// What libtbb asks for is how many slots an arena of the program's has. In the park lane each blocked call takes one; elsewhere few do, and
// an idle thread spins for each before it sleeps.
int slots(int said, const void* return_address) {
  bool parks = wait::policy.best.load(std::memory_order_relaxed) == wait::Lane::park;
  return parks && from_libtbb(return_address) ? said : concurrency(said);
}

}  // namespace

bool from_adapter(const void* return_address) {
  Dl_info caller;
  return dladdr(return_address, &caller) && caller.dli_fname && std::strstr(caller.dli_fname, "libweir_tbb");
}

namespace {

bool is_of_one(const Control& control, const void* return_address) {
  return control.parameter == max_allowed_parallelism && control.value == 1 && !from_adapter(return_address);
}

}  // namespace

bool one_at_a_time(int slots) {
  if (!wait::policy.automatic.load(std::memory_order_relaxed)) return false;
  return controls_of_one.load(std::memory_order_relaxed) || slots == 1;
}

}  // namespace weir::tbb

using namespace weir::tbb;

#define WEIR_ENTRY(type, symbol) extern "C" __attribute__((visibility("default"))) type symbol

WEIR_ENTRY(void, _ZN3tbb6detail2r110initializeERNS0_2d115task_arena_baseE)(Arena* arena) {
  adapter();
  // Who numbers things by slots is to find no more of them, even with several threads of its own in the arena.
  if (arena->is_automatic() && arena->is_everywhere() && told_more() && held_to_the_truth())
    arena->max_concurrency = concurrency(static_cast<int>(processors()));
  bool automatic = arena->is_automatic();
  // As many as there are by default are not warned of, where a control allows fewer. What libtbb has by default is from us.
  weir::base::self().tbb_unheard = told_more() && (automatic || arena->max_concurrency == concurrency(static_cast<int>(processors())));
  initialize(arena);
  weir::base::self().tbb_unheard = false;
  if (automatic) arena->max_concurrency = concurrency(arena->max_concurrency);  // read inline from here on
}

WEIR_ENTRY(bool, _ZN3tbb6detail2r16attachERNS0_2d115task_arena_baseE)(Arena* arena) {
  if (!attach(arena)) return false;
  arena->max_concurrency = concurrency(arena->max_concurrency);
  return true;
}

WEIR_ENTRY(int, _ZN3tbb6detail2r115max_concurrencyEPKNS0_2d115task_arena_baseE)(const void* arena) {
  int said = max_concurrency(arena);
  return !arena && partitioner_asks() ? told_to_partitioner(said) : concurrency(said);
}

WEIR_ENTRY(int, _ZN3tbb6detail2r124numa_default_concurrencyEi)(int node) {
  return slots(default_of_node(node), __builtin_return_address(0));
}

WEIR_ENTRY(int, _ZN3tbb6detail2r131constraints_default_concurrencyERKNS0_2d111constraintsEl)
(const void* constraints, std::intptr_t reserved) {
  return slots(default_within(constraints, reserved), __builtin_return_address(0));
}

WEIR_ENTRY(void, _ZN3tbb6detail2r16createERNS0_2d114global_controlE)(Control* control) {
  const weir_tbb_adapter* here = control->parameter == max_allowed_parallelism ? adapter() : nullptr;
  const auto value = static_cast<std::int64_t>(control->value);
  if (here) here->control_comes(value);
  if (is_of_one(*control, __builtin_return_address(0))) ++controls_of_one;
  if (here && !from_adapter(__builtin_return_address(0))) weir::meter::raise_to(value - 1, weir::meter::workers_beside);
  create(control);
  if (here) here->control_stands(value);
}

WEIR_ENTRY(void, _ZN3tbb6detail2r17destroyERNS0_2d114global_controlE)(Control* control) {
  std::size_t value = control->value;
  if (is_of_one(*control, __builtin_return_address(0))) --controls_of_one;
  destroy(control);
  if (control->parameter == max_allowed_parallelism)
    if (const weir_tbb_adapter* here = adapter()) here->control_went(static_cast<std::int64_t>(value));
}

WEIR_ENTRY(std::size_t, _ZN3tbb6detail2r127global_control_active_valueEi)(int parameter) {
  std::size_t said = active_value(parameter);
  const weir_tbb_adapter* here = parameter == max_allowed_parallelism ? adapter() : nullptr;
  return here && told_more() && !here->has_controls() ? static_cast<std::size_t>(concurrency(static_cast<int>(processors()))) : said;
}

WEIR_ENTRY(unsigned short, _ZN3tbb6detail2r114execution_slotEPKNS0_2d114execution_dataE)(const void* execution) {
  // affinity_partitioner and static_partitioner begin with the slot, as a hint.
  bool by_program = !execution && !partitioner_has_asked();
  if (by_program) slot_is_asked_for();
  if (execution && more_pieces_wanted()) return no_slot;  // none of ours: stolen
  unsigned short slot = execution_slot(execution);
  return by_program && slot != no_slot && told_more() ? told_for(slot, max_concurrency(nullptr)) : slot;
}

// Observers see each thread that comes.
WEIR_ENTRY(void, _ZN3tbb6detail2r17observeERNS0_2d123task_scheduler_observerEb)(void* observer, bool on) {
  if (on && !from_adapter(__builtin_return_address(0))) {
    no_stand_ins();
    if (const weir_tbb_adapter* here = adapter()) here->program_makes_observer();
  }
  observe(observer, on);
}
