// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/lock_wait.h"

#include "base/thread.h"
#include "gate/gate.h"
#include "omp_ext/seat.h"
#include "omp_ext/task_region.h"
#include "sys/file.h"
#include "sys/futex.h"
#include "sys/process.h"
#include "weir/runtime.h"

namespace weir::omp {
namespace {

constexpr std::int64_t first_nap_ns = 5'000;
constexpr std::int64_t longest_nap_ns = 500'000;
constexpr std::size_t places = 256;
constexpr int yields_before_sleep = 4, most_tries = 1000;
constexpr std::int64_t longest_sleep_ns = 1'000'000;

constinit Critical criticals[places]{};

template <typename Sleep>
void without_core(Sleep sleep) {
  bool had_core = base::self_unsuspended().holds_core;
  if (had_core) gate::give_core();
  sleep();
  if (had_core) gate::take_core();
}

}  // namespace

bool in_wide_team() { return team::is_wide(base::self_unsuspended().seat.team); }

bool others_want_this_thread() {
  Member* member = member_here();
  return member && (member->aside.load(std::memory_order_relaxed) > 0 || !member->woken.empty());
}

void wait_for_lock(bool (*take)(void*), void* argument) {
  for (std::int64_t ns = first_nap_ns; !take(argument);) {
    if (weir_stand_back()) {
      ns = first_nap_ns;
    } else {
      without_core([=] { sys::sleep_ns(ns); });
      ns = ns * 2 < longest_nap_ns ? ns * 2 : longest_nap_ns;
    }
  }
}

Critical* Critical::of(const void* name) {
  std::size_t at = (reinterpret_cast<std::uintptr_t>(name) / 16) % places;
  for (std::size_t looks = 0; looks < places; ++looks, at = (at + 1) % places) {
    const void* there = criticals[at].name_.load(std::memory_order_acquire);
    if (there == name) return &criticals[at];
    if (!there && (criticals[at].name_.compare_exchange_strong(there, name) || there == name)) return &criticals[at];
  }
  return nullptr;
}

// Asleep at most for a moment: who goes in by libomp alone may leave unheard. And not for ever: in a forked child nobody may be left
// who would.
void Critical::await_in_team() {
  for (int tries = 0; tries < most_tries && !try_enter(); ++tries) {
    if (tries < yields_before_sleep) {
      sys::yield();
      continue;
    }
    sleepers_.fetch_add(1);
    std::uint32_t called = called_.load();
    if (inside_.load()) without_core([&] { sys::futex_wait(called_, called, longest_sleep_ns); });
    sleepers_.fetch_sub(1);
  }
}

void Critical::call_one() {
  called_.fetch_add(1);
  sys::futex_wake(called_);
}

void Critical::await() {
  if (others_want_this_thread()) wait_for_lock([](void* self) { return static_cast<Critical*>(self)->try_enter(); }, this);
  else if (in_wide_team()) await_in_team();
}

}  // namespace weir::omp
