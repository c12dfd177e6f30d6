// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/team.h"

#include <algorithm>
#include <atomic>

#include "base/clock.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "gate/narrow.h"
#include "lane/gomp.h"
#include "meter/counters.h"
#include "meter/regions.h"
#include "meter/teams.h"
#include "omp_ext/next.h"
#include "omp_ext/region_carries.h"
#include "omp_ext/region_code.h"
#include "omp_ext/region_locked.h"
#include "omp_ext/seat.h"
#include "omp_ext/team_plan.h"
#include "omp_ext/team_spin.h"
#include "omp_ext/team_turn.h"
#include "omp_ext/tool.h"
#include "omp_ext/turns.h"
#include "wait/lane.h"

namespace weir::team {
namespace {

constinit omp::Next<int()> real_active_level("omp_get_active_level");
constinit omp::Next<int(void*)> real_thread_number("__kmpc_global_thread_num");
constinit omp::Next<void(void*, int, int)> real_push_num_threads("__kmpc_push_num_threads");

// Tasks that can be set aside need no threads to wait in.
bool sets_aside(const Region& region) {
  return region.makes_tasks.load(std::memory_order_relaxed) && wait::policy.best.load(std::memory_order_relaxed) == wait::Lane::suspend;
}

// A region that is about to run for the first time: its code says with how many threads to begin.
void look_at_code(const TeamPlan& plan, Region& region, const void* code, std::int64_t cores) {
  CodeFacts facts = read_code(code, Reading::to_the_end);
  facts.shares |= plan.in_every_region;
  facts.each_shows |= plan.picks_thread && shares_loop_by_number(reinterpret_cast<std::uintptr_t>(code));  // what falls to that one is seen
  facts.each_shows &= !plan.in_every_region;
  facts.carries &= !plan.in_every_region;
  facts.takes_memory &= !plan.in_every_region;
  if (facts.memory.any() && !plan.in_every_region) {
    region.memory = facts.memory;
    region.takes_memory.store(true, std::memory_order_release);
  }
  facts.rounds &= !plan.in_every_region;
  if (const char* why = why_bare(facts)) {
    region.barred.store(true, std::memory_order_relaxed);
    if (facts.blocks || facts.may_block || facts.passes_wait) meter::teams.narrow.store(why);
  }
  region.makes_tasks.store(facts.makes_tasks, std::memory_order_relaxed);
  if (!starts_wide(facts)) return;
  Knowledge first;
  first.wide = first.timed = true;
  if (sets_aside(region)) {
    if (!one_brings_tasks(facts) || cores < 2) return;
    first.calls = 1;
  } else if (cores > 1 && facts.takes && waits_only_with_lock(reinterpret_cast<std::uintptr_t>(code))) {
    first.calls = 1;
  } else if (facts.makes_tasks && !facts.waits_for_others) {
    first.calls = most_for_tasks_a_core * cores;
  }
  first.apart_from_files = facts.waits_for_others;
  region.set(first);
}

// `cores`: the size without us.
std::int64_t wanted_size(const TeamPlan& plan, Region& region, const void* code, bool first, std::int64_t cores) {
  if (plan.freedom == Freedom::same) return plan.widest;
  if (first) look_at_code(plan, region, code, cores);
  Knowledge known = region.known();
  return team_size(known, cores, known.apart_from_files ? plan.widest_apart_from_files : plan.widest);
}

bool may_widen(const TeamPlan& plan) {
  return real_push_num_threads.get() && real_thread_number.get() && widest_can_start(plan) && begin_wide_team(plan);
}

// Does the thread fork a team within a team? Regions of one thread around it don't count, for libomp either.
bool within_team(const base::TeamSeat& seat) {
  return seat.team && !(real_active_level.get() && real_active_level.get()() == 0);
}

void widen(base::TeamSeat& seat, std::int64_t size) {
  turns_begin_anew();
  real_push_num_threads.get()(nullptr, real_thread_number.get()(nullptr), static_cast<int>(size));
  stop_spinning(seat);
  meter::teams.widened.fetch_add(1, std::memory_order_relaxed);
  meter::raise_to(size, meter::teams.widest);
}

// What the program said of the team that it is about to fork.
struct Wish {
  int threads;  // 0: nothing, or not known
  bool exactly;
};

Wish take_wish(base::TeamSeat& seat) {
  Wish wish{seat.sized_by_program ? seat.threads_asked : 0, seat.sized_by_program && seat.sized_exactly};
  not_sized_after_all();
  return wish;
}

// Each of its threads may want memory of its own.
std::int64_t most_by_memory() {
  gate::Memory& memory = gate::the_gate.memory;
  memory.look_if_due(base::now_ns());
  return gate::the_gate.lets_few_go_on() ? 0 : memory.most_at_work();
}

bool each_takes_much(const Region& region, const void* code, lane::Beginning beginning) {
  if (!region.takes_memory.load(std::memory_order_acquire)) return false;
  bool much = region.memory.taken(reinterpret_cast<std::uintptr_t>(code), beginning) > most_memory;
  if (much) meter::teams.narrow.store(each_takes_memory);
  return much;
}

// For the time of its outermost region the thread has so many at work, without stand-ins.
void team_is_at_work(base::TeamSeat& seat, std::int64_t threads) {
  meter::mine().team.add(threads - seat.own_threads);
  seat.own_threads = threads;
}

// Watches how the region fares. True: with stand-ins, more than `asked` (0: more than without us).
bool watch(base::TeamSeat& seat, const void* code, lane::Beginning beginning, int asked) {
  Region& region = region_of(code);
  bool first = !region.read.load(std::memory_order_relaxed) && !region.read.exchange(true);
  const TeamPlan& plan = first ? refreshed_team_plan() : team_plan();
  if (plan.kept_out || base::self().sizes_its_teams || is_root_beside_first(plan)) return false;
  std::int64_t cores = asked ? asked : size_without_us(plan);
  if (numbers_count_cores() && cores < 2) return false;  // as where `if` says no
  std::int64_t size = wanted_size(plan, region, code, first, cores);
  if (size > plan.widest && !can_start(size)) size = plan.widest;
  if (size > cores && plan.freedom != Freedom::same) size = std::max(cores, std::min(size, most_by_memory()));
  if (size > cores && plan.freedom != Freedom::same && each_takes_much(region, code, beginning)) size = cores;
  bool wide = size > cores && may_widen(plan);
  if (wide) {
    region.without_us.store(cores, std::memory_order_relaxed);
    widen(seat, size);
  }
  if (wide && numbers_count_cores()) gate::narrow_to(cores);
  seat.forked = &region;
  seat.forked_size = wide ? size : cores;
  seat.forked_cores = cores;
  seat.next_team = seat_in(region, wide);
  bool timed = wide || region.timed.load(std::memory_order_relaxed);
  seat.forked_ns = timed ? base::now_ns() : 0;
  return wide;
}

enum class Forks : int { unknown, watched, alone };
constinit std::atomic<Forks> forks{Forks::unknown};

// A runtime that is there has asked for its tool by now.
void judge_forks() {
  bool compute = stepped_aside_for_computing() || (!stepped_aside_for() && !tool_active() && lane::has_only_libgomp() && no_region_waits());
  forks.store(compute && !meter::regions.on_edge.load() ? Forks::alone : Forks::watched, std::memory_order_relaxed);
}

}  // namespace

void sized_by_program(int threads, Asked how) {
  base::TeamSeat& seat = base::self().seat;
  seat.sized_by_program = true;
  seat.threads_asked = threads;
  if (how == Asked::exactly || !numbers_count_cores()) seat.sized_exactly = true;
}

void not_sized_after_all() {
  base::TeamSeat& seat = base::self().seat;
  seat.sized_by_program = seat.sized_exactly = false;
  seat.threads_asked = 0;
}

int num_threads_without_us(int threads) {
  const base::TeamSeat& seat = base::self().seat;
  bool outermost = is_wide(seat.team) && real_active_level.get() && real_active_level.get()() == 1;
  if (!outermost) return threads;
  std::int64_t without_us = region_of_seat(seat.team)->without_us.load(std::memory_order_relaxed);
  return without_us > 0 && without_us < threads ? static_cast<int>(without_us) : threads;
}

int max_threads(int without_weir) {
  const TeamPlan& plan = refreshed_team_plan();
  // Another number than at first was set, by this thread or by who forked it.
  if (plan.kept_out || base::self().sizes_its_teams) return without_weir;
  if (without_weir != plan.cores && !numbers_count_cores()) return without_weir;
  // A team that the program sized itself: as many as there are cores, as it happens.
  const base::TeamSeat& seat = base::self().seat;
  if (within_team(seat) && !is_wide(seat.team)) return without_weir;
  std::int64_t largest = largest_team(plan);
  return largest > without_weir ? static_cast<int>(largest) : without_weir;
}

}  // namespace weir::team

using namespace weir::team;

bool weir::omp::before_fork(const void* code, weir::lane::Beginning beginning, Compiler by) {
  weir::base::TeamSeat& seat = weir::base::self().seat;
  if (!seat.team) weir::meter::regions.enter(reinterpret_cast<std::uintptr_t>(code));
  Wish wish = take_wish(seat);
  if (within_team(seat)) return false;
  seat.forked = nullptr;
  seat.next_team = 0;
  bool wide = !wish.exactly && watch(seat, code, beginning, wish.threads);
  team_is_at_work(seat, seat.forked ? seat.forked_cores : wish.threads ? wish.threads : size_without_us(team_plan()));
  if (!wide) spin_less(seat, by, wish.threads);
  return wide;
}

bool weir::omp::leaves_forks_alone() { return forks.load(std::memory_order_relaxed) == Forks::alone; }

void weir::omp::after_fork(const void* code) {
  if (forks.load(std::memory_order_relaxed) == Forks::unknown) judge_forks();
  weir::base::TeamSeat& seat = weir::base::self().seat;
  if (!seat.team) weir::meter::regions.leave(reinterpret_cast<std::uintptr_t>(code));
  if (within_team(seat)) return;
  team_is_at_work(seat, 0);
  if (seat.blocktime_ms > 0) spin_again(seat);
  if (!seat.forked) return;
  auto& region = *static_cast<Region*>(seat.forked);
  seat.forked = nullptr;
  seat.next_team = 0;
  Run run;
  run.team = seat.forked_size;
  run.cores = seat.forked_cores;
  run.wide = run.team > run.cores;
  run.sets_aside = sets_aside(region);
  run.tasks_block = region.makes_tasks.load(std::memory_order_relaxed) && !run.sets_aside;
  if (run.wide) {
    if (numbers_count_cores()) gate::as_wide_as_before();
    end_wide_team();
  }
  // A region that computes and no more pays for two loads.
  bool blocked = region.parked.load(std::memory_order_relaxed) != 0;
  if (!blocked && !seat.forked_ns) return;
  run.parked = region.parked.exchange(0, std::memory_order_relaxed);
  run.stored = region.stored.exchange(0, std::memory_order_relaxed);
  run.blocked_ns = region.blocked_ns.exchange(0, std::memory_order_relaxed);
  run.gate_timeouts = region.gate_timeouts.exchange(0, std::memory_order_relaxed);
  run.at_once = region.at_once.exchange(0, std::memory_order_relaxed);
  if (seat.forked_ns) run.wall_ns = weir::base::now_ns() - seat.forked_ns;
  if (&region != &no_region) region.set(learn(region.known(), run));
}

bool weir::omp::sets_nothing_aside(const void* code) {
  Region& region = region_of(code);
  Region::Aside aside = region.aside.load(std::memory_order_relaxed);
  if (aside == Region::not_read) {
    CodeFacts facts = read_code(code, Reading::to_the_end);
    bool none = (!facts.makes_tasks && !facts.unsure) || never_waits(facts);
    aside = none ? Region::never : Region::maybe;
    if (&region != &no_region) region.aside.store(aside, std::memory_order_relaxed);
  }
  return aside == Region::never;
}
