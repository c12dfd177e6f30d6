// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/team_plan.h"

#include <link.h>
#include <strings.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "base/log.h"
#include "base/settings.h"
#include "base/thread.h"
#include "meter/teams.h"
#include "omp_ext/next.h"
#include "omp_ext/team_room.h"
#include "omp_ext/tool.h"
#include "sys/addresses.h"
#include "sys/bare_threads.h"
#include "sys/file_limit.h"
#include "sys/loader.h"
#include "sys/thread_limits.h"
#include "wait/lane.h"
#include "weir/runtime.h"

namespace weir::team {
namespace {

constinit omp::Next<int()> real_max_threads("omp_get_max_threads");
constinit omp::Next<int()> real_proc_bind("omp_get_proc_bind");
constinit omp::Next<int()> real_dynamic("omp_get_dynamic");
constinit omp::Next<std::size_t()> real_stack_bytes("kmp_get_stacksize_s");

constinit std::atomic<const char*> asked_out{nullptr};
constinit std::atomic<const char*> number_set{nullptr};  // by what; it counts cores
constinit std::atomic<unsigned long long> objects_seen{0};
constinit std::atomic<std::int64_t> startable{1};          // a team of so many was tried and could
constinit std::atomic<std::int64_t> not_startable{1 << 30};  // and one of so many could not

// A plan is written once and then only read. Plans are few: one, and one more each time something changed.
constexpr int most_plans = 64;
constinit TeamPlan plans[most_plans];
constinit std::atomic<int> plans_begun{0};
constinit std::atomic<const TeamPlan*> current{nullptr};

int call(omp::Next<int()>& function, int otherwise) { return function.get() ? function.get()() : otherwise; }

int count_loaded(dl_phdr_info* object, std::size_t, void* count) {
  *static_cast<unsigned long long*>(count) = object->dlpi_adds;
  return 1;
}

unsigned long long objects_loaded() {
  unsigned long long count = 0;
  sys::each_object(count_loaded, &count);
  return count;
}

std::int64_t setting(const char* variable, std::int64_t otherwise) {
  std::int64_t value = weir_setting_number(variable);
  return value < 0 ? otherwise : value;
}

Limits limits_here(std::int64_t cores) {
  Limits limits;
  limits.cores = cores;
  limits.stand_ins = setting("WEIR_STAND_INS", 512);
  limits.permits = setting("WEIR_PERMITS", 0);
  if (limits.permits == 0) limits.permits = setting("WEIR_MAX_PERMITS", 128);
  limits.descriptors = sys::file_limit_within_reach(1 << 30);
  limits.more_by_memory = sys::threads_within_addresses();
  return limits;
}

const char* environment_variable(const char* name) { return std::getenv(name); }

const char* why_no_tool() {
  const char* tool = std::getenv("OMP_TOOL");
  return tool && !strcasecmp(tool, "disabled") ? "OMP_TOOL is disabled"
                                               : "the OpenMP runtime does not report to weir (OMPT)";
}

// What the user's settings leave; the program's own code is looked at after that.
const char* settings_keep_out(const Limits& limits) {
  if (const char* what = asked_out.load()) return what;
  if (const char* whom = stepped_aside_for()) return whom;
  if (!tool_active()) return why_no_tool();
  if (wait::policy.best.load() == wait::Lane::plain) return "the lane is off";
  if (setting("WEIR_OMP_TEAMS", 0) == static_cast<int>(base::Teams::bare)) return "WEIR_OMP_TEAMS is bare";
  const char* number = numbers_count_cores() ? nullptr : number_in_environment(environment_variable);
  if (number) return number;
  if (const char* what = environment_keeps_out(environment_variable)) return what;
  if (call(real_proc_bind, 0) != 0) return "threads are bound to places";
  if (call(real_dynamic, 0) != 0) return "team sizes are dynamic (omp_set_dynamic)";
  if (widest_team(limits) > limits.cores) return nullptr;
  if (limits.stand_ins <= limits.cores) return "WEIR_STAND_INS leaves no room";
  if (limits.more_by_memory <= 0) return "the limit of addresses (ulimit -v, -d) leaves no room";
  return "the limit of open files leaves no room";
}

Leeway leeway_here() {
  switch (static_cast<base::Teams>(setting("WEIR_OMP_TEAMS", 0))) {
    case base::Teams::any: return {Freedom::any, nullptr};
    case base::Teams::same: return {Freedom::same, nullptr};
    default: return leeway_of_what_is_loaded();
  }
}

// How many threads teams have without us. A later plan may be made by a thread that has set a number of its own.
std::int64_t cores_at_first() {
  static constinit std::atomic<std::int64_t> known{0};
  std::int64_t cores = known.load();
  if (cores) return cores;
  std::int64_t here = call(real_max_threads, 1);
  return known.compare_exchange_strong(cores, here) ? here : cores;
}

TeamPlan make_plan() {
  TeamPlan plan;
  // The runtime's first call starts it, and us as its tool.
  plan.cores = plan.widest = plan.widest_apart_from_files = cores_at_first();
  Limits limits = limits_here(plan.cores);
  plan.kept_out = settings_keep_out(limits);
  if (plan.kept_out) return plan;
  Leeway leeway = leeway_here();
  plan.freedom = leeway.freedom;
  plan.picks_thread = leeway.picks_thread;
  plan.in_every_region = setting("WEIR_OMP_TEAMS", 0) == static_cast<int>(base::Teams::any);
  plan.same_for_all = setting("WEIR_OMP_TEAMS", 0) == static_cast<int>(base::Teams::same);
  if (leeway.freedom == Freedom::none) {
    plan.kept_out = leeway.because;
    return plan;
  }
  // Where teams must be of one size, they cannot be of another than was said.
  const char* number = number_set.load() ? number_set.load() : number_in_environment(environment_variable);
  if (plan.freedom == Freedom::same && number) {
    plan.kept_out = number;
    return plan;
  }
  plan.widest = widest_team(limits);
  // A team of the one size that the program is told must come about.
  if (plan.freedom == Freedom::same && !widest_can_start(plan)) {
    plan.kept_out = asked_out.load();
    plan.widest = plan.cores;
  }
  if (plan.freedom == Freedom::same) {
    plan.widest_apart_from_files = plan.widest;
  } else {
    limits.permits = limits.stand_ins;
    plan.widest_apart_from_files = widest_team(limits);
  }
  return plan;
}

void announce(const TeamPlan& plan) {
  const char* said = meter::teams.kept_out.exchange(plan.kept_out);
  if (plan.kept_out && plan.kept_out != said) base::say_if_verbose("OpenMP teams are left alone: %s", plan.kept_out);
}

const TeamPlan& make_current() {
  static constinit TeamPlan left_alone{"it loads objects without end"};
  int index = plans_begun.fetch_add(1);
  if (index >= most_plans) return left_alone;
  plans[index] = make_plan();
  current.store(&plans[index], std::memory_order_release);
  announce(plans[index]);
  return plans[index];
}

}  // namespace

void keep_out(const char* what) {
  if (asked_out.exchange(what) != what) current.store(nullptr, std::memory_order_release);
}

void sized_for_good(const char* what) {
  base::Thread& thread = base::self();
  if (numbers_count_cores()) {
    number_set.store(what);
    const TeamPlan& plan = team_plan();
    if (plan.kept_out || plan.freedom == Freedom::any) return;
  }
  const TeamPlan* plan = current.load(std::memory_order_acquire);
  // In a region it is said for the teams within alone.
  bool others_go_on = !thread.seat.team && plan && !plan->kept_out && plan->freedom == Freedom::same;
  if (others_go_on) thread.sizes_its_teams = true;
  else keep_out(what);
}

std::int64_t largest_team(const TeamPlan& plan) { return std::max(plan.widest, plan.widest_apart_from_files); }

bool says_what_it_was_told(std::int64_t threads) {
  const TeamPlan* plan = current.load(std::memory_order_acquire);
  return plan && !plan->kept_out && plan->freedom == Freedom::any && !base::self().seat.team && threads > plan->cores &&
         threads == largest_team(*plan);
}

bool numbers_count_cores() {
  static constinit std::atomic<int> known{-1};
  int counts = known.load(std::memory_order_relaxed);
  if (counts < 0) {
    counts = setting("WEIR_OMP_COUNT", 0) == static_cast<int>(base::Count::cores);
    known.store(counts, std::memory_order_relaxed);
  }
  return counts;
}

std::int64_t size_without_us(const TeamPlan& plan) {
  return numbers_count_cores() ? call(real_max_threads, 1) : plan.cores;
}

const TeamPlan& team_plan() {
  const TeamPlan* plan = current.load(std::memory_order_acquire);
  return plan ? *plan : make_current();
}

const TeamPlan& refreshed_team_plan() {
  unsigned long long loaded = objects_loaded();
  if (objects_seen.exchange(loaded) == loaded) return team_plan();
  return make_current();
}

bool can_start(std::int64_t size) {
  if (size <= startable.load(std::memory_order_relaxed)) return true;
  if (size >= not_startable.load(std::memory_order_relaxed)) return false;
  auto stack = real_stack_bytes.get() ? static_cast<std::int64_t>(real_stack_bytes.get()()) : 0;
  // libomp ends the program when it can't start one. To start them for a trial takes milliseconds: where all limits can be seen,
  // room for their stacks is all that is to be tried.
  bool all = sys::threads_are_within_limits(size - 1) ? sys::stacks_to_be_had(size - 1, stack) == size - 1
                                                      : sys::threads_to_be_had(size - 1, stack) == size - 1;
  (all ? startable : not_startable).store(size, std::memory_order_relaxed);
  return all;
}

bool widest_can_start(const TeamPlan& plan) {
  if (can_start(plan.widest)) return true;
  keep_out("the system does not let so many threads be started");
  return false;
}

}  // namespace weir::team
