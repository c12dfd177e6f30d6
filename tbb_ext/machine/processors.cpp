// SPDX-License-Identifier: Apache-2.0
// sched_getaffinity and sysconf(_SC_NPROCESSORS_ONLN), which libtbb sizes its arenas by.
#include "tbb_ext/machine/processors.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "gate/gate.h"
#include "tbb_ext/machine/arrival.h"
#include "tbb_ext/machine/libtbb.h"
#include "tbb_ext/machine/next.h"
#include "meter/counters.h"
#include "sys/addresses.h"
#include "wait/lane.h"
#include "weir/runtime.h"

namespace weir::tbb {
namespace {

constinit Next<int(pid_t, std::size_t, cpu_set_t*)> next_getaffinity{"sched_getaffinity"};
constinit Next<long(int)> next_sysconf{"sysconf"};
constinit std::atomic<std::int64_t> told{0};

// Numbers that no program asks for an arena of: an arena is known for one of libtbb's choice by them.
constexpr std::int64_t chunks_worth = 61;
constexpr std::int64_t nobodys(std::int64_t many) { return many > chunks_worth ? many - 3 : many; }

std::int64_t decide() {
  std::int64_t cores = gate::the_gate.cores.limit();
  wait::Lane best = wait::policy.best.load();
  if (!prepared() || best == wait::Lane::plain) return cores;
  std::int64_t most = weir_setting_number("WEIR_STAND_INS");
  std::int64_t worth = best == wait::Lane::park ? nobodys(most) : std::min(most, chunks_worth);
  return std::max(cores, std::min(worth, cores + sys::threads_within_addresses()));
}

// Sets bits from the top of the mask down: numbers that no processor has. Should libtbb set the mask again, the kernel
// drops them, and what the user restricted the process to holds.
void add_processors(cpu_set_t* mask, std::size_t bytes, std::int64_t want) {
  int have = CPU_COUNT_S(bytes, mask);
  for (auto bit = bytes * 8; bit-- > 0 && have < want;) {
    if (CPU_ISSET_S(bit, bytes, mask)) continue;
    CPU_SET_S(bit, bytes, mask);
    ++have;
  }
}

}  // namespace

std::int64_t processors() {
  std::int64_t now = told.load();
  if (now) return now;
  std::int64_t wanted = decide();
  return told.compare_exchange_strong(now, wanted) ? wanted : now;
}

namespace {

//   open --enough calls have blocked--> raised
//     `---- the program asks for a slot's number, from either --> held
enum Truth : std::uint32_t { open, held, raised };
constinit std::atomic<std::uint32_t> truth{open};
constinit std::atomic<std::int64_t> blocked_calls{0};

// Loops cut finely before any call waited: none did so far, in so many. Where the program asks for nothing that could wait,
// which is looked at as often, they are cut as they would be without us.
constexpr int most_trials = 4;
constinit std::atomic<int> trials{0};

bool may_wait() {
  auto* look = wait::policy.may_wait.load(std::memory_order_relaxed);
  return !look || look();
}

bool a_call_has_waited() { return meter::gauges.in_flight.peak() > 0; }

}  // namespace

int concurrency(int said) {
  return told_more() && said == processors() ? static_cast<int>(gate::the_gate.cores.limit()) : said;
}

int concurrency_of_loop(int said) {
  if (!told_more() || said != processors()) return said;
  if (held_to_the_truth()) return concurrency(said);
  if (a_call_has_waited()) return said;
  if (trials.load(std::memory_order_relaxed) >= most_trials) return concurrency(said);
  trials.fetch_add(1, std::memory_order_relaxed);
  return may_wait() ? std::min(said, static_cast<int>(chunks_worth)) : concurrency(said);
}

bool hold_to_the_truth() { return !held_to_the_truth() && truth.exchange(held) != held; }

bool held_to_the_truth() { return truth.load(std::memory_order_relaxed) == held; }

bool may_have_stand_ins() {
  std::uint32_t now = truth.load(std::memory_order_relaxed);
  if (now != open) return now == raised;
  if (blocked_calls.fetch_add(1, std::memory_order_relaxed) < 2 * gate::the_gate.cores.limit()) return false;
  return truth.compare_exchange_strong(now, raised) || now == raised;
}

bool told_more() { return told.load(std::memory_order_relaxed) > gate::the_gate.cores.limit(); }

}  // namespace weir::tbb

using namespace weir::tbb;

#define WEIR_EXPORT extern "C" __attribute__((visibility("default")))

WEIR_EXPORT int sched_getaffinity(pid_t pid, std::size_t bytes, cpu_set_t* mask) noexcept {
  int result = next_getaffinity(pid, bytes, mask);
  if (result == 0 && from_libtbb(__builtin_return_address(0)) && told_more()) add_processors(mask, bytes, processors());
  return result;
}

WEIR_EXPORT long sysconf(int name) noexcept {
  long result = next_sysconf(name);
  if (name != _SC_NPROCESSORS_ONLN) return result;
  // libtbb asks this first of all, so a libtbb that came by dlopen is known from here on.
  if (!look_for_libtbb() || !from_libtbb(__builtin_return_address(0))) return result;
  std::int64_t said = processors();
  return told_more() ? std::max<long>(result, said) : result;
}
