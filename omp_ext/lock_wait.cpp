// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/lock_wait.h"

#include <algorithm>

#include "base/clock.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "omp_ext/libomp.h"
#include "omp_ext/seat.h"
#include "omp_ext/task_region.h"
#include "omp_ext/team_threads.h"
#include "sys/file.h"
#include "sys/futex.h"
#include "sys/process.h"
#include "weir/runtime.h"

namespace weir::omp {
namespace {

constexpr std::int64_t first_nap_ns = 5'000;
constexpr std::int64_t longest_nap_ns = 500'000;
constexpr std::size_t places = 256;

constinit Critical criticals[places]{};
constinit std::atomic<std::int32_t> all_sleepers{0};

// To write takes the line from all who look at it, even to write what is there.
template <typename T>
void store_if_other(std::atomic<T>& there, T what) {
  if (there.load(std::memory_order_relaxed) != what) there.store(what, std::memory_order_relaxed);
}

bool core_is_free() { return gate::the_gate.cores.held() < gate::the_gate.cores.limit(); }

constexpr int spins_in_a_row = 64;

template <typename Take, typename Between>
bool spun_for(std::int64_t longest_ns, int in_a_row, Take& take, Between between) {
  for (std::int64_t end_ns = base::now_ns() + longest_ns;; between()) {
    for (int spun = 0; spun < in_a_row; ++spun) {
      if (take()) return true;
      __builtin_ia32_pause();
    }
    if (base::now_ns() > end_ns) return false;
  }
}

// Who holds a lock nearly always computes, on another core, and gives it back before a thread could be asleep and awake again; or it
// would, had it this core. And who gives its core away for a lock lets one more of the team begin, which comes to want it too.
template <typename Take>
bool spun_until(Take take) {
  constexpr std::int64_t longest_ns = 50 * base::ns_per_us;
  bool alone = gate::the_gate.cores.limit() < 2;
  return spun_for(longest_ns, alone ? 1 : spins_in_a_row, take, [] { sys::yield(); });
}

// In a team without stand-ins, as libgomp's locks have it: for long where each thread has a core, for which nobody else has any use.
template <typename Take>
bool spun_without_stand_ins(Take take) {
  constexpr std::int64_t long_ns = 2 * base::ns_per_ms, short_ns = 20 * base::ns_per_us;
  return spun_for(team::more_threads_than_cores() ? short_ns : long_ns, spins_in_a_row, take, [] {});
}

// To be woken takes as long as a short read. So while who holds a lock waits for one, and no core is wanted, one thread of those that
// want it next stays awake, as all do without us. `until`: so long one does.
template <typename Take>
bool watched_until(std::atomic<std::int64_t>& until, Take take) {
  constexpr std::int64_t longest_ns = base::ns_per_ms;
  const gate::Cores& cores = gate::the_gate.cores;
  auto is_idle = [&cores] { return cores.held() <= cores.limit() && cores.limit() > 1; };
  std::int64_t now_ns = base::now_ns(), end_ns = now_ns + longest_ns, before_ns = until.load(std::memory_order_relaxed);
  if (!is_idle() || now_ns < before_ns || !until.compare_exchange_strong(before_ns, end_ns)) return false;
  bool taken = false;
  while (!taken && is_idle() && base::now_ns() < end_ns) {
    for (int spun = 0; spun < spins_in_a_row && !(taken = take()); ++spun) __builtin_ia32_pause();
    if (!taken) sys::yield();
  }
  until.store(0);
  return taken;
}

// To ask is to write, to what the holder will write, and lies beside what it works on.
template <typename Take>
auto seldom(Take take) {
  return [take, spins = 0]() mutable { return (++spins & 7) == 0 && take(); };
}

// Where the threads of a team with stand-ins sleep that want one of the program's locks: by its address, seldom two at the same place.
class alignas(64) Bed {
 public:
  static Bed& of(const void* lock);

  // False: what is ready on this thread by now must go on first, since the holder may wait for it.
  template <typename Take>
  bool await(Take take) {
    bool taken = wait(take);
    if (taken) held_.store(true, std::memory_order_relaxed);
    return taken;
  }

  void given() {
    held_.store(false, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // the lock is free; sleepers?
    if (sleepers_.load(std::memory_order_relaxed) > 0) call_one();
  }

  void call_one() {
    if (!core_is_free() || is_watched() || one_comes_.exchange(true)) return;
    called_.fetch_add(1);
    sys::futex_wake(called_);
  }

  bool has_sleepers() const { return sleepers_.load(std::memory_order_relaxed) > 0; }

 private:
  template <typename Take>
  bool wait(Take take) {
    if (take()) return true;
    while (!spun_until(seldom(take)) && !watched_until(watched_until_ns_, seldom(take))) {
      bool had_core = base::self_unsuspended().holds_core;
      gate::give_core();
      bool taken = slept(take);
      if (had_core && taken) gate::take_core_at_once();
      else if (had_core) gate::take_core();
      if (taken) return true;
      if (others_want_this_thread()) return false;
    }
    return true;
  }

  bool is_watched() const { return base::now_ns() < watched_until_ns_.load(); }

  //   here: sleepers_ + 1; is it free?; sleep        who gives it back: lock free; sleepers_? -> call
  // Until called; or, since a call may go to one that wants another lock, until nobody seems to be after it.
  template <typename Take>
  bool slept(Take take) {
    constexpr std::int64_t first_look_ns = 4 * base::ns_per_ms, last_look_ns = 64 * base::ns_per_ms, longest_ns = base::ns_per_s;
    sleepers_.fetch_add(1);
    all_sleepers.fetch_add(1, std::memory_order_relaxed);
    std::uint32_t called = called_.load();
    bool taken = take();
    std::int64_t end_ns = base::now_ns() + longest_ns;
    for (std::int64_t ns = first_look_ns; !taken && called_.load() == called && base::now_ns() < end_ns; ns = std::min(2 * ns, last_look_ns)) {
      sys::futex_wait(called_, called, ns);
      if (others_want_this_thread() || (!held_.load(std::memory_order_relaxed) && core_is_free() && !is_watched())) break;
    }
    all_sleepers.fetch_sub(1, std::memory_order_relaxed);
    sleepers_.fetch_sub(1);
    one_comes_.store(false, std::memory_order_relaxed);
    return taken;
  }

  std::atomic<std::uint32_t> called_{0};
  std::atomic<std::int32_t> sleepers_{0};
  std::atomic<bool> one_comes_{false};
  std::atomic<bool> held_{false};  // the lock that was taken here last: a guess, where two are at the same place
  std::atomic<std::int64_t> watched_until_ns_{0};
};

constexpr std::size_t bed_places = 64;
constinit Bed beds[bed_places];

Bed& Bed::of(const void* lock) { return beds[(reinterpret_cast<std::uintptr_t>(lock) * 0x9e3779b97f4a7c15u) >> 58]; }

}  // namespace

bool in_wide_team() { return team::is_wide(base::self_unsuspended().seat.team); }

bool in_narrow_team() {
  std::uintptr_t team = base::self_unsuspended().seat.team;
  return team && !team::is_wide(team) && libomp().present;
}

bool others_want_this_thread() {
  Member* member = member_here();
  return member && (member->aside.load(std::memory_order_relaxed) > 0 || !member->woken.empty());
}

void lock_given(const void* lock) {
  if (in_wide_team()) Bed::of(lock).given();
}

void wait_for_lock(const void* lock, bool (*take)(void*), void* argument) {
  auto taken = [=] { return take(argument); };
  bool nobody_else = !others_want_this_thread();
  if (in_wide_team() && nobody_else && Bed::of(lock).await(taken)) return;
  if (in_narrow_team() && nobody_else && (taken() || spun_without_stand_ins(seldom(taken)))) return;
  const std::int64_t since = base::now_ns();
  for (std::int64_t ns = first_nap_ns; !taken();) {
    if (weir_stand_back(since)) {
      ns = first_nap_ns;
    } else {
      gate::without_core([=] { sys::sleep_ns(ns); });
      ns = ns * 2 < longest_nap_ns ? ns * 2 : longest_nap_ns;
    }
  }
}

Critical* Critical::of(const void* name) {
  // By gcc a name is eight bytes beside the next one: to look for it is not to look at another's.
  std::size_t at = (reinterpret_cast<std::uintptr_t>(name) / 8) % places;
  for (std::size_t looks = 0; looks < places; ++looks, at = (at + 1) % places) {
    const void* there = criticals[at].name_.load(std::memory_order_acquire);
    if (there == name) return &criticals[at];
    if (!there && (criticals[at].name_.compare_exchange_strong(there, name) || there == name)) return &criticals[at];
  }
  return nullptr;
}

// Not for ever: in a forked child nobody may be left who would leave.
void Critical::await_in_team() {
  constexpr std::int64_t longest_ns = base::ns_per_s;
  for (std::int64_t end_ns = base::now_ns() + longest_ns; !spun_until_free() && !watched_until_free() && base::now_ns() < end_ns;)
    gate::without_core([this] { sleep(); });
}

// libomp's own locks have all that want them spin, and who holds one over a read has no core then, when it comes back.
void Critical::await_in_narrow_team() {
  constexpr std::int64_t look_ns = 4 * base::ns_per_ms, longest_ns = base::ns_per_s;
  if (try_enter()) return;  // one of those that find it free: a second one would spin in libomp
  for (std::int64_t end_ns = base::now_ns() + longest_ns; !spun_without_stand_ins([this] { return try_enter(); }) && base::now_ns() < end_ns;) {
    waiters_.fetch_add(1);
    std::uint32_t called = called_.load();
    if (inside_.load()) sys::futex_wait(called_, called, look_ns);
    waiters_.fetch_sub(1);
  }
}

// False at once where who is inside waits for something: that may be long.
bool Critical::spun_until_free() {
  bool free = false;
  spun_until([&] { return (free = try_enter()) || is_away_.load(std::memory_order_relaxed); });
  return free;
}

bool Critical::watched_until_free() {
  return watched_until(watched_until_ns_, [this] { return try_enter(); });
}

void Critical::entered() {
  store_if_other(inside_, true);
  base::Thread& thread = base::self_unsuspended();
  store_if_other(outer_, thread.is_away);
  thread.is_away = &is_away_;
}

void Critical::leaves() {
  base::Thread& thread = base::self_unsuspended();
  if (thread.is_away == &is_away_) thread.is_away = outer_.load(std::memory_order_relaxed);
  store_if_other(is_away_, false);
  inside_.store(false);
  if (sleepers_.load() > 0) call_one();
  if (waiters_.load() > 0) wake_one();
}

// Until called, or until it seems that it may go in and nobody else would: who leaves by libomp alone does so unheard, and who
// left when all cores were busy may have left one idle since. A hundred may sleep here, so they seldom look.
void Critical::sleep() {
  constexpr std::int64_t first_look_ns = 4 * base::ns_per_ms, last_look_ns = 64 * base::ns_per_ms, longest_ns = base::ns_per_s;
  sleepers_.fetch_add(1);
  all_sleepers.fetch_add(1, std::memory_order_relaxed);
  std::uint32_t called = called_.load();
  std::int64_t end_ns = base::now_ns() + longest_ns;
  for (std::int64_t ns = first_look_ns; called_.load() == called && base::now_ns() < end_ns; ns = std::min(2 * ns, last_look_ns)) {
    if (!inside_.load() && core_is_free()) break;
    sys::futex_wait(called_, called, ns);
  }
  all_sleepers.fetch_sub(1, std::memory_order_relaxed);
  sleepers_.fetch_sub(1);
  one_comes_.store(false, std::memory_order_relaxed);
}

// Where all cores compute, those who do come by themselves. And who was called takes a while to be there.
void Critical::call_one() {
  if (core_is_free() && base::now_ns() >= watched_until_ns_.load() && !one_comes_.exchange(true)) wake_one();
}

void Critical::wake_one() {
  called_.fetch_add(1);
  sys::futex_wake(called_);
}

void Critical::core_is_idle() {
  if (all_sleepers.load(std::memory_order_relaxed) == 0) return;
  for (Critical& critical : criticals) {
    if (critical.sleepers_.load(std::memory_order_relaxed) > 0 && !critical.inside_.load()) critical.call_one();
  }
  for (Bed& bed : beds) {
    if (bed.has_sleepers()) bed.call_one();
  }
}

void Critical::await() {
  if (others_want_this_thread()) wait_for_lock(this, [](void* self) { return static_cast<Critical*>(self)->try_enter(); }, this);
  else if (in_wide_team()) await_in_team();
  else if (in_narrow_team()) await_in_narrow_team();
}

}  // namespace weir::omp
