// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/tool.h"

#include <dlfcn.h>
#include <omp-tools.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "base/log.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "meter/counters.h"
#include "meter/trace.h"
#include "meter/teams.h"
#include "omp_ext/loop_piece.h"
#include "omp_ext/region_code.h"
#include "omp_ext/runtime_lock.h"
#include "omp_ext/seat.h"
#include "omp_ext/team_idle.h"
#include "omp_ext/team_threads.h"
#include "omp_ext/team_waits.h"
#include "omp_ext/thread_number.h"
#include "sys/process.h"

// The OMPT tool: libomp says what a thread of a team begins, ends and waits for, and here that becomes the thread's
// place, its lock depth and its core slot. Nothing in here waits, but for a core slot, and that a bounded time.
namespace weir::team {
namespace {

constinit std::atomic<bool> active{false};
constinit std::atomic<ompt_get_task_info_t> task_info{nullptr};
constinit std::atomic<const char*> aside{nullptr};
constinit std::atomic<bool> aside_for_computing{false};
constinit std::atomic<bool> aside_for_tool{false};

bool is_initial(int flags) { return flags & ompt_task_initial; }

// What of the thread's counters its region has not been told yet. Most regions' threads never block: one comparison.
void tell_region(base::Thread& thread) {
  meter::Counters* counters = thread.counters;
  base::TeamSeat& seat = thread.seat;
  if (!counters || counters->parked.value() == seat.parked) return;
  Region* region = region_of_seat(seat.team);
  std::int64_t parked = counters->parked.value();
  std::int64_t stored = counters->storage_ops.value();
  std::int64_t blocked_ns = counters->blocked_ns.value();
  std::int64_t timeouts = counters->reasons[static_cast<int>(meter::Reason::gate_timeout)].value();
  if (region) {
    region->parked.fetch_add(parked - seat.parked, std::memory_order_relaxed);
    region->stored.fetch_add(stored - seat.stored, std::memory_order_relaxed);
    region->blocked_ns.fetch_add(blocked_ns - seat.blocked_ns, std::memory_order_relaxed);
    region->gate_timeouts.fetch_add(timeouts - seat.gate_timeouts, std::memory_order_relaxed);
    meter::raise_to(seat.most_blocked, region->at_once);
  }
  seat.parked = parked;
  seat.stored = stored;
  seat.blocked_ns = blocked_ns;
  seat.gate_timeouts = timeouts;
  seat.most_blocked = 0;
}

constexpr const char* region_part = "parallel region";

// The thread has done its part of the outermost region.
void trace_end_of_part(base::Thread& thread) {
  meter::ends(thread.seat.traced, meter::Track::region, region_part);
  thread.seat.traced = 0;
}

// What blocked before the team, outside of it, is not the region's. So the thread has its record from here on: it may be
// that of one that ended, with its counts.
void forget_counters(base::TeamSeat& seat) {
  const meter::Counters& counters = meter::mine();
  seat.parked = counters.parked.value();
  seat.stored = counters.storage_ops.value();
  seat.blocked_ns = counters.blocked_ns.value();
  seat.gate_timeouts = counters.reasons[static_cast<int>(meter::Reason::gate_timeout)].value();
  seat.most_blocked = 0;
}

void parallel_begin(ompt_data_t*, const ompt_frame_t*, ompt_data_t* parallel, unsigned threads, int, const void*) {
  base::TeamSeat& seat = base::self().seat;
  omp::thread_matters_in_onetbb();
  // What blocks in a team within a team is the outer region's: of that it can be said how many threads it is worth. And its
  // threads compute by the same leave.
  parallel->value = seat.next_team ? seat.next_team : seat.team ? seat.team | inner_mark : seat_in(no_region, false);
  seat.next_team = 0;
  if (seat.team) return;
  if (!is_wide(parallel->value) && threads > gate::the_gate.cores.limit()) parallel->value |= crowded_mark;
  team_begins_work(seat, threads);
}

void parallel_end(ompt_data_t*, ompt_data_t*, int, const void*) {
  base::TeamSeat& seat = base::self().seat;
  if (!seat.team) team_ends_work(seat);
}

void sit_down(base::Thread& thread, ompt_data_t* parallel, ompt_data_t* task) {
  if (!thread.seat.team || region_of_seat(thread.seat.team) == &no_region) forget_counters(thread.seat);
  task->value = thread.seat.team | ours_mark;
  thread.seat.team = parallel && parallel->value ? parallel->value : seat_in(no_region, false);
  if (!is_inner(thread.seat.team)) thread.seat.turns = {};
  thread.place |= base::in_omp_team;
  ++thread.omp_regions;
  if (!thread.seat.traced) thread.seat.traced = meter::begins(meter::Track::region, region_part);
  // What it does first leads to its first call, as likely as not; waiting here for a core that only computing threads
  // give back would keep the device idle.
  if (is_wide(thread.seat.team)) gate::take_core_at_once();
}

void stand_up(base::Thread& thread, ompt_data_t* task) {
  if (!(task->value & ours_mark)) return;
  --thread.omp_regions;
  tell_region(thread);
  if (!is_inner(thread.seat.team)) {
    loop_is_over(thread.seat);
    forget_tasks(thread);
  }
  thread.seat.team = task->value & ~(ours_mark | waiting_mark);
  task->value = 0;
  if (!thread.seat.team) {
    thread.place &= ~base::in_omp_team;
    trace_end_of_part(thread);
  }
  if (is_wide(thread.seat.team)) gate::take_core();
  else gate::give_core();
}

void implicit_task(ompt_scope_endpoint_t what, ompt_data_t* parallel, ompt_data_t* task, unsigned, unsigned, int flags) {
  // The initial task of a thread that no region began is serial code; that of a league's team is not. Only what
  // parallel_begin has seen has a value.
  base::Thread& thread = base::self();
  if (what == ompt_scope_begin && is_initial(flags) && !(parallel && parallel->value)) {
    thread.omp_may_end = sys::thread_id() != sys::process_id();
    return;
  }
  if (what == ompt_scope_begin) sit_down(thread, parallel, task);
  else stand_up(thread, task);
}

bool ends_region(ompt_sync_region_t kind) {
  return kind == ompt_sync_region_barrier_implicit_parallel || kind == ompt_sync_region_barrier_teams;
}

// An explicit task that waits for its children keeps its core, since its thread runs them: until it finds none to run.
void explicit_task_waits(base::Thread& thread, ompt_sync_region_t kind, ompt_scope_endpoint_t what, ompt_data_t* task) {
  base::TeamSeat& seat = thread.seat;
  if (what == ompt_scope_begin) {
    if (is_wide(seat.team)) ++seat.task_waits;
    await_tasks(thread, kind, task);
  } else if (is_wide(seat.team)) {
    if (seat.task_waits > 0) --seat.task_waits;
    gate::take_core();
  }
}

void sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t what, ompt_data_t*, ompt_data_t* task, const void*) {
  if (!task) return;
  base::Thread& thread = base::self();
  if (!(task->value & ours_mark)) return explicit_task_waits(thread, kind, what, task);
  thread.seat.idle_seen_ns = 0;  // another wait than its last one
  thread.at_barrier_ns = what == ompt_scope_begin ? -1 : 0;
  if (what == ompt_scope_begin) {
    task->value |= waiting_mark;
    if (!is_inner(thread.seat.team)) loop_is_over(thread.seat);
    if (ends_region(kind)) tell_region(thread);
    if (is_wide(thread.seat.team)) gate::give_core();
    await_tasks(thread, kind, task);
  } else {
    task->value &= ~waiting_mark;
    // After the last barrier a thread has no more to compute; its implicit task ends next.
    if (is_wide(thread.seat.team) && !ends_region(kind)) gate::take_core();
  }
}

// A thread that waits at a barrier runs explicit tasks meanwhile: those compute.
void task_schedule(ompt_data_t* prior, ompt_task_status_t how, ompt_data_t* next) {
  if (how == ompt_task_complete || how == ompt_task_cancel || how == ompt_task_late_fulfill) task_is_over(prior);
  base::Thread& thread = base::self();
  if (!thread.seat.team) return;
  thread.seat.idle_seen_ns = 0;  // it has work: what it waits for after that is another wait
  bool waits = next && (next->value & (ours_mark | waiting_mark)) == (ours_mark | waiting_mark);
  thread.at_barrier_ns = waits ? -1 : 0;
  if (waits) tell_region(thread);
  if (!is_wide(thread.seat.team)) return;
  if (waits) gate::give_core();
  else gate::take_core_to_begin();
}

void task_create(ompt_data_t* by, const ompt_frame_t*, ompt_data_t* task, int flags, int, const void*) {
  task_is_created(base::self(), by, task, flags);
}

void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t what, ompt_data_t*, ompt_data_t* task, const void*) {
  if (kind != ompt_sync_region_taskgroup || !task) return;
  if (what == ompt_scope_begin) taskgroup_opens(base::self(), task);
  else taskgroup_is_closed(base::self(), task);
}

// omp_control_tool is for a tool of the user's, and weir is none: it says what it says where there is no tool.
int control_tool(std::uint64_t, std::uint64_t, void*, const void*) {
  constexpr int no_tool = -2;
  return no_tool;
}

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t*) {
  auto set = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
  if (!set) return 0;
  struct { ompt_callbacks_t event; ompt_callback_t callback; } wanted[] = {
      {ompt_callback_parallel_begin, reinterpret_cast<ompt_callback_t>(parallel_begin)},
      {ompt_callback_parallel_end, reinterpret_cast<ompt_callback_t>(parallel_end)},
      {ompt_callback_implicit_task, reinterpret_cast<ompt_callback_t>(implicit_task)},
      {ompt_callback_sync_region_wait, reinterpret_cast<ompt_callback_t>(sync_region_wait)},
      {ompt_callback_sync_region, reinterpret_cast<ompt_callback_t>(sync_region)},
      {ompt_callback_task_create, reinterpret_cast<ompt_callback_t>(task_create)},
      {ompt_callback_task_schedule, reinterpret_cast<ompt_callback_t>(task_schedule)},
      {ompt_callback_control_tool, reinterpret_cast<ompt_callback_t>(control_tool)}};
  bool all = true;
  for (auto& [event, callback] : wanted) {
    int result = set(event, callback);
    all &= result == ompt_set_always || result == ompt_set_sometimes;
  }
  task_info.store(reinterpret_cast<ompt_get_task_info_t>(lookup("ompt_get_task_info")), std::memory_order_relaxed);
  find_runtime_locks(reinterpret_cast<const void*>(lookup));
  active.store(all);
  if (all) gate::the_gate.on_idle.store(slept_for_lack_of_work);
  if (!all) meter::teams.kept_out.store("this OpenMP runtime does not tell all that weir must know");
  return 1;
}

void finalize(ompt_data_t*) {
  active.store(false);
  gate::the_gate.on_idle.store(nullptr);
}

ompt_start_tool_result_t* step_aside(const char* whom) {
  aside.store(whom);
  meter::teams.kept_out.store(whom);
  base::say_if_verbose("OpenMP teams are left alone: %s", whom);
  return nullptr;
}

}  // namespace

bool tool_active() { return active.load(std::memory_order_relaxed); }

bool in_explicit_task() {
  ompt_get_task_info_t ask = task_info.load(std::memory_order_relaxed);
  if (!ask || !tool_active()) return false;
  int flags = 0;
  return ask(0, &flags, nullptr, nullptr, nullptr, nullptr) == 2 && (flags & ompt_task_explicit);
}

const void* current_task() {
  ompt_get_task_info_t ask = task_info.load(std::memory_order_relaxed);
  if (!ask || !tool_active()) return nullptr;
  ompt_data_t* data = nullptr;
  return ask(0, nullptr, &data, nullptr, nullptr, nullptr) == 2 ? data : nullptr;
}

bool tool_of_others() {
  if (aside_for_tool.load(std::memory_order_relaxed)) return true;
  // The program's own is found before ours, and ours not asked.
  Dl_info first, ours;
  void* tool = dlsym(RTLD_DEFAULT, "ompt_start_tool");
  return tool && dladdr(tool, &first) && dladdr(&active, &ours) && first.dli_fbase != ours.dli_fbase;
}

const char* stepped_aside_for() { return aside.load(std::memory_order_relaxed); }
bool stepped_aside_for_computing() { return aside_for_computing.load(std::memory_order_relaxed); }

}  // namespace weir::team

// There is one tool in a process. A user who brings one means it.
extern "C" __attribute__((visibility("default"))) ompt_start_tool_result_t* ompt_start_tool(unsigned version,
                                                                                              const char* runtime) {
  using namespace weir::team;
  // One in the program or its libraries comes before those of the environment, as libomp has it.
  auto next = reinterpret_cast<decltype(&ompt_start_tool)>(dlsym(RTLD_NEXT, "ompt_start_tool"));
  if (ompt_start_tool_result_t* other = next ? next(version, runtime) : nullptr) {
    aside_for_tool.store(true);
    step_aside("another library is the OpenMP tool (ompt_start_tool)");
    return other;
  }
  const char* libraries = std::getenv("OMP_TOOL_LIBRARIES");
  if (libraries && *libraries) {
    aside_for_tool.store(true);
    return step_aside("OMP_TOOL_LIBRARIES names another tool");
  }
  // Who has libomp write which tool it found means a tool of their own: it writes what it would without weir.
  const char* verbose = std::getenv("OMP_TOOL_VERBOSE_INIT");
  if (verbose && std::strcmp(verbose, "disabled") != 0) return step_aside("OMP_TOOL_VERBOSE_INIT asks for OpenMP tools");
  // ThreadSanitizer learns of OpenMP's synchronization by a tool of its own, which libomp loads when there is no other.
  if (dlsym(RTLD_DEFAULT, "__tsan_func_entry")) return step_aside("ThreadSanitizer needs its own OpenMP tool");
  // Where only computing goes on, a tool has nothing to tell, and costs libomp some of each region's time.
  if (!weir::meter::tracing.load(std::memory_order_relaxed) && no_region_waits()) {
    aside_for_computing.store(true);
    return step_aside("no parallel region reaches a call that may wait");
  }
  static constinit ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
