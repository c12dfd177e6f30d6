// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/machine/arrival.h"

#include <dlfcn.h>

#include <atomic>
#include <cstring>

#include "base/log.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "meter/counters.h"
#include "meter/overlap.h"
#include "meter/regions.h"
#include "meter/trace.h"
#include "sys/addresses.h"
#include "sys/process.h"
#include "sys/threads.h"
#include "tbb_ext/machine/coming.h"
#include "tbb_ext/machine/counting.h"
#include "tbb_ext/machine/inside.h"
#include "tbb_ext/machine/leaving.h"
#include "tbb_ext/machine/libtbb.h"
#include "tbb_ext/machine/memory.h"
#include "tbb_ext/machine/pieces.h"
#include "tbb_ext/machine/processors.h"
#include "tbb_ext/machine/resting.h"
#include "tbb_ext/machine/sleeping.h"
#include "tbb_ext/machine/stack_end.h"
#include "wait/errno_state.h"
#include "wait/watchdog.h"

namespace weir::tbb {
namespace {

constinit std::atomic<bool> constructed{false};

//   unknown --first entry--> loading --> here | absent
enum State : std::uint32_t { unknown, loading, here, absent };
constinit std::atomic<std::uint32_t> state{unknown};
constinit const weir_tbb_adapter* the_adapter = nullptr;
constinit weir_tbb_machine machine{};

// It lies beside the library that this code is in.
bool find_file(char* path, std::size_t size) {
  Dl_info us;
  if (!dladdr(reinterpret_cast<void*>(&find_file), &us) || !us.dli_fname) return false;
  const char* slash = std::strrchr(us.dli_fname, '/');
  std::size_t folder = slash ? static_cast<std::size_t>(slash - us.dli_fname) + 1 : 0;
  constexpr char name[] = "libweir_tbb.so";
  if (folder + sizeof name > size) return false;
  std::memcpy(path, us.dli_fname, folder);
  std::memcpy(path + folder, name, sizeof name);
  return true;
}

void blocked(std::int64_t parked, std::int64_t most) {
  if (!may_have_stand_ins()) return;
  a_call_waits();
  base::EngineScope ours;
  bool alone = parked == 1 && machine.cores > 1 && gate::the_gate.waits.are_short();
  if (alone) the_adapter->blocks_alone();
  else the_adapter->blocked(parked, most);
}

// What the driver is not to wait for is done by a thread of its own, one at a time.
constinit std::atomic<bool> breaking_stall{false};
void stalled() {
  if (breaking_stall.exchange(true)) return;
  come_soon();
  int error = sys::start_program_thread(
      [](void*) {
        base::EngineScope ours;
        the_adapter->stalled();
        breaking_stall.store(false);
      },
      nullptr, "weir-stall");
  if (error) breaking_stall.store(false);
}

int anybody_computes() {
  struct Look {
    std::int32_t here = sys::thread_id();
    bool found = false;
  } look;
  auto visit = [](void* look_, std::int32_t tid) {
    auto& look = *static_cast<Look*>(look_);
    look.found = tid != look.here && is_inside(tid) && sys::state_of(tid).state == 'R';
    return !look.found;
  };
  return !sys::each_thread(visit, &look) || look.found;
}

constexpr const char* in_arena = "in oneTBB";

// On a coroutine's stack, or some thread's own. Where its end is not known, nothing is.
int keeps_errno() {
  const void* here = __builtin_frame_address(0);
  const void* end = stacks.owns(here) ? stacks.end_of(here) : end_of_stack(here);
  return !end || wait::keeps_errno(end);
}

std::uint64_t begins(const void* site) {
  note_own_stack(__builtin_frame_address(0));
  meter::regions.enter(meter::of_tbb(site));
  meter::mine().team.add(1);
  return meter::begins(meter::Track::region, in_arena);
}
void ends(const void* site, std::uint64_t begun) {
  meter::ends(begun, meter::Track::region, in_arena);
  meter::mine().team.add(-1);
  meter::regions.leave(meter::of_tbb(site));
}

void load() {
  char path[4096];
  if (!look_for_libtbb() || !find_file(path, sizeof path)) return;
  base::EngineScope ours;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    base::say_if_verbose("no oneTBB adapter: %s", dlerror());
    return;
  }
  // Another libtbb than the program's would have come for the adapter alone.
  void* suspend = dlsym(library, "_ZN3tbb6detail2r17suspendEPFvPvPNS1_18suspend_point_typeEES2_");
  auto attach = reinterpret_cast<weir_tbb_attach_fn>(dlsym(library, WEIR_TBB_ATTACH));
  if (!attach || !suspend || !from_libtbb(suspend)) {
    base::say_if_verbose("the program's libtbb is not one the oneTBB adapter can serve");
    return;
  }
  machine.cores = gate::the_gate.cores.limit();
  meter::raise_to(machine.cores - 1, meter::workers_beside);
  machine.processors = processors();
  machine.guards_are_free = stacks.guards_are_free();
  if (sys::addresses_are_limited()) {
    machine.stack_expected = [] { return stacks.expect_one() ? 1 : 0; };
    machine.stack_came = [] { stacks.came(); };
  }
  machine.keeps_errno = keeps_errno;
  machine.in_openmp_too = [] { return is_in_openmp_too() ? 1 : 0; };
  machine.holds_lock = [] { return base::self().lock_depth > 0 ? 1 : 0; };
  machine.one_at_a_time = [](int slots) { return one_at_a_time(slots) ? 1 : 0; };
  machine.execution_slot = reinterpret_cast<std::uint16_t (*)(const void*)>(
      libtbb_name("_ZN3tbb6detail2r114execution_slotEPKNS0_2d114execution_dataE"));
  machine.max_concurrency = reinterpret_cast<int (*)(const void*)>(
      libtbb_name("_ZN3tbb6detail2r115max_concurrencyEPKNS0_2d115task_arena_baseE"));
  machine.comes_inside = comes_inside;
  machine.goes_outside = goes_outside;
  machine.coming = coming;
  machine.going = going;
  machine.begins = begins;
  machine.ends = ends;
  machine.waited = a_call_waits;
  machine.set_aside = task_was_set_aside;
  machine.goes_on = task_goes_on;
  machine.ready = task_is_ready;
  machine.anybody_computes = anybody_computes;
  machine.stand_ins = stand_ins;
  machine.leaving = leave_for_good;
  the_adapter = attach(&machine);
  if (the_adapter && told_more()) {
    gate::the_gate.on_blocked.store(blocked);
    wait::add_on_stall({stalled});
  }
  base::say_if_verbose("oneTBB: %lld cores, %lld processors told", (long long)machine.cores, (long long)machine.processors);
}

__attribute__((constructor)) void construct() {
  find_next_memory();
  find_next_syscall();
  look_for_libtbb();
  constructed.store(true);
}

}  // namespace

bool prepared() { return constructed.load(std::memory_order_relaxed); }

const weir_tbb_adapter* adapter() {
  std::uint32_t now = state.load(std::memory_order_acquire);
  if (now == here) return the_adapter;
  if (now == unknown && prepared() && state.compare_exchange_strong(now, loading)) {
    load();
    state.store(the_adapter ? here : absent, std::memory_order_release);
    return the_adapter;
  }
  return nullptr;  // a thread that comes while another loads it goes without, this once
}

}  // namespace weir::tbb
