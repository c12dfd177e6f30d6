// SPDX-License-Identifier: Apache-2.0
#include "path/napping.h"

#include <algorithm>
#include <atomic>

#include "gate/gate.h"
#include "gate/others.h"
#include "sys/futex.h"
#include "sys/process.h"

namespace weir::path {
namespace {

constexpr std::int64_t nap_ns = 50 * base::ns_per_us;
// After a long one so many times as long is spent in naps, and then another yield tells whether the others are there still.
constexpr std::int64_t times = 20, most_ns = 200 * base::ns_per_ms;
// What the kernel says that the program computed lacks up to a tick's time of a thread that is computing just then, on another core: only
// of some ticks it can be said whether others had a core. Once they had, the next long one tells whether they have again.
constexpr std::int64_t judged_by_ns = 24 * base::ns_per_ms;
// After a long one so many are watched.
constexpr std::int32_t watched = 4096;

constinit std::atomic<std::int32_t> napping{0};  // threads, now

}  // namespace

std::int64_t nap_among_ns(std::int64_t threads, std::int64_t cores) {
  return nap_ns * std::max<std::int64_t>(1, threads / (2 * cores));
}

std::int64_t nap_at_barrier_ns(std::int64_t waited_ns, std::int64_t threads, std::int64_t cores) {
  constexpr std::int64_t part = 16, longest_ns = 2 * base::ns_per_ms;
  return std::max(nap_among_ns(threads, cores), std::min(waited_ns / part, longest_ns));
}

namespace {

// So long the thread has napped at the barrier where it stands; 0: at none.
std::int64_t waited_at_barrier_ns(base::Thread& thread) {
  if (!thread.at_barrier_ns) return 0;
  std::int64_t now_ns = base::now_ns();
  if (thread.at_barrier_ns < 0) thread.at_barrier_ns = now_ns;
  return now_ns - thread.at_barrier_ns;
}

}  // namespace

void nap() {
  base::Thread& thread = base::self_unsuspended();
  std::int64_t threads = napping.fetch_add(1, std::memory_order_relaxed) + 1;
  std::int64_t length_ns = nap_at_barrier_ns(waited_at_barrier_ns(thread), threads, gate::the_gate.cores.limit());
  thread.naps_ns -= 2 * length_ns;  // with its wake
  std::atomic<std::uint32_t> nobody{0};
  sys::futex_wait(nobody, 0, length_ns);
  napping.fetch_sub(1, std::memory_order_relaxed);
}

void naps_after_fork() {
  napping.store(0, std::memory_order_relaxed);
  gate::waits_asleep(false);
}

namespace {

struct OwnCpu {
  std::int64_t at_ns, took_ns, cpu_ns;  // the answer came then, and took so long; at_ns 0: another thread asks just now
};

OwnCpu own_cpu(std::int64_t now_ns) {
  constexpr std::int64_t least_age_ns = 100 * base::ns_per_us, share = 20;  // at most one in so many is spent on asking
  static constinit OwnCpu last{};
  static constinit std::atomic<bool> taken{false};  // `last`, for a few instructions or to ask anew
  if (taken.exchange(true, std::memory_order_acquire)) return {};
  if (now_ns - last.at_ns >= std::max(least_age_ns, share * last.took_ns)) {
    last.cpu_ns = sys::process_cpu_ns();
    last.at_ns = base::now_ns();
    last.took_ns = last.at_ns - now_ns;
  }
  OwnCpu answer = last;
  taken.store(false, std::memory_order_release);
  return answer;
}

}  // namespace

std::int64_t own_cpu_lately(std::int64_t now_ns) {
  OwnCpu answer = own_cpu(now_ns);
  return answer.at_ns ? answer.cpu_ns : -1;
}

std::int64_t own_cpu_at_most(std::int64_t now_ns) {
  OwnCpu answer = own_cpu(now_ns);
  if (!answer.at_ns) return -1;
  // From before it was asked: the answer is of some moment since then.
  return answer.cpu_ns + std::max<std::int64_t>(now_ns - (answer.at_ns - answer.took_ns), 0) * gate::the_gate.cores.limit();
}

// All cores were busy all the while, or one of them would have taken this thread. With whom?
bool others_had_a_core(std::int64_t took_ns, std::int64_t own_cpu_ns, std::int64_t cores) {
  return 2 * own_cpu_ns < (2 * cores - 1) * took_ns;
}

void after_long_yield(std::int64_t took_ns, std::int64_t own_cpu_ns) {
  base::Thread& thread = base::self_unsuspended();
  thread.watched_yields = watched;
  if (own_cpu_ns < 0) return;
  took_ns = thread.long_yields_ns += took_ns;
  own_cpu_ns = thread.long_yields_cpu_ns += own_cpu_ns;
  if (took_ns < judged_by_ns && !thread.yields_to_others) return;
  thread.long_yields_ns = thread.long_yields_cpu_ns = 0;
  thread.yields_to_others = others_had_a_core(took_ns, own_cpu_ns, gate::the_gate.cores.limit());
  if (!thread.yields_to_others) return;
  thread.naps_ns = std::min(times * took_ns, most_ns);
  gate::others_had_a_core(base::now_ns());
}

}  // namespace weir::path
