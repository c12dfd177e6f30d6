// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/adapter/limit.h"

#include <oneapi/tbb/global_control.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>

#include "tbb_ext/adapter/helping.h"

namespace weir::tbb {
namespace {

constexpr std::int64_t quiet_ns = 200'000'000;

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

const weir_tbb_machine* machine = nullptr;  // set when there are stand-ins to be had
std::mutex changing;
::tbb::global_control* control = nullptr;   // never destroyed at exit: libtbb may be gone by then
std::int64_t fewest = 0;                    // cores, or what the program's controls allow; under `changing`
std::multiset<std::int64_t>* of_program = nullptr;  // under `changing`; likewise never destroyed
std::atomic<std::int64_t> allowed{0};
std::atomic<pthread_t> changer{};           // our own control is no wish of the program's
std::atomic<std::int64_t> last_blocked_ns{0};
std::int64_t last_added_ns = 0;             // by a stall; under `changing`
std::atomic<bool> stalled{false};           // tasks found no thread since there were the fewest
std::atomic<int> controls{0};               // the program's
std::atomic<bool> held{false};              // to what it was told
std::atomic<int> of_one{0};                 // the program's controls that allow but one thread

void set_locked(std::int64_t threads) {
  changer.store(pthread_self());
  auto* before = control;
  control = new ::tbb::global_control(::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  delete before;  // the lowest of all controls holds: the new one has to stand first
  changer.store({});
  allowed.store(threads);
  if (threads <= fewest) stalled.store(false, std::memory_order_relaxed);
  machine->stand_ins(threads > fewest);
}

// The least of all controls holds. One of fewer threads than cores libtbb heeds by itself.
void reckon_locked() {
  constexpr std::int64_t most = 1'000'000;
  std::int64_t least = of_program->empty() ? 0 : *of_program->begin();
  fewest = std::clamp(least, machine->cores, std::max(most, machine->cores));
  machine->stand_ins(allowed.load() > fewest);
}

bool is_quiet() { return now_ns() - last_blocked_ns.load(std::memory_order_relaxed) >= quiet_ns; }

}  // namespace

void begin_limit(const weir_tbb_machine& of) {
  if (of.processors <= of.cores) return;
  std::lock_guard lock(changing);
  machine = &of;
  of_program = new std::multiset<std::int64_t>;
  set_locked(fewest = of.cores);
}

void control_comes(std::int64_t threads) {
  if (changer.load() == pthread_self()) return;
  ++controls;
  if (threads == 1) ++of_one;
  if (!machine) return;
  std::lock_guard lock(changing);
  of_program->insert(threads);
  reckon_locked();
  if (allowed.load() < fewest) set_locked(fewest);
}

void control_went(std::int64_t threads) {
  if (changer.load() == pthread_self()) return;
  --controls;
  if (threads == 1) --of_one;
  if (!machine) return;
  std::lock_guard lock(changing);
  if (auto found = of_program->find(threads); found != of_program->end()) of_program->erase(found);
  reckon_locked();
  if (allowed.load() < fewest || is_quiet()) set_locked(fewest);
}

int has_controls() {
  if (!machine) return 1;
  std::lock_guard lock(changing);
  return !of_program->empty();
}

bool threads_are_limited() { return held.load() || controls.load() > 0; }

bool one_is_allowed() { return of_one.load() > 0; }

void raise_limit(std::int64_t parked, std::int64_t most) {
  if (!machine) return;
  last_blocked_ns.store(now_ns(), std::memory_order_relaxed);
  std::int64_t now = allowed.load(std::memory_order_relaxed);
  std::int64_t needed = machine->cores + 2 * parked;
  std::int64_t worth = std::min(machine->processors, machine->cores + most);
  if (needed <= now || now >= worth) return;
  std::unique_lock lock(changing, std::try_to_lock);  // another thread is at it, or will be asked soon again
  if (lock && allowed.load() == now) set_locked(std::min(worth, std::max(needed, 2 * now)));
}

void one_blocks_alone() {
  if (!stalled.load(std::memory_order_relaxed)) relax_limit();
}

void break_stall() {
  if (!machine) return;
  help_out(machine->anybody_computes);
  if (held.load()) return;
  std::lock_guard lock(changing);
  // Those there are, spinning, all have their turn before the new one has its.
  const std::int64_t now = now_ns(), turn_ns = 20'000'000 * (allowed.load() + 1);
  last_blocked_ns.store(now, std::memory_order_relaxed);
  if (allowed.load() >= machine->processors || now - last_added_ns < turn_ns) return;
  last_added_ns = now;
  stalled.store(true, std::memory_order_relaxed);
  set_locked(allowed.load() + 1);
}

void relax_limit() {
  if (!machine || allowed.load(std::memory_order_relaxed) <= machine->cores) return;
  if (!is_quiet()) return;
  std::unique_lock lock(changing, std::try_to_lock);
  if (lock && allowed.load() > fewest) set_locked(fewest);
}

void lower_limit() {
  held.store(true);
  if (!machine) return;
  std::lock_guard lock(changing);
  if (allowed.load() > fewest) set_locked(fewest);
}

}  // namespace weir::tbb
