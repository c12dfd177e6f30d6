// SPDX-License-Identifier: Apache-2.0
#include "meter/overlap.h"

#include <algorithm>

#include "base/clock.h"
#include "meter/counters.h"
#include "meter/sites.h"
#include "sys/lock.h"
#include "sys/process.h"

namespace weir::meter {

constinit std::atomic<std::int64_t> workers_beside{0};

namespace {

Overlap::Sum added(const Overlap::Sum& a, const Overlap::Sum& b) {
  return {a.clock_ns + b.clock_ns, a.flown_ns + b.flown_ns, a.stored_ns + b.stored_ns, a.stored + b.stored,
          a.computing_ns + b.computing_ns, a.room_ns + b.room_ns, a.gained_ns + b.gained_ns};
}

}  // namespace

// What is less than a twentieth is within the error.
Overlap::Sum Overlap::judged(Sum block) const {
  std::int64_t stored_ns = block.stored_ns;
  if (closed_.early_ns) stored_ns = std::min(stored_ns, block.stored * closed_.early_ns);
  std::int64_t beyond_ns = block.flown_ns - block.stored_ns + stored_ns + block.computing_ns - block.room_ns;
  if (block.room_ns > 0 && beyond_ns > block.room_ns / 20)
    block.gained_ns = static_cast<std::int64_t>(static_cast<double>(beyond_ns) / block.threads());
  return block;
}

void Overlap::open(const Look& look) {
  is_open_ = true;
  opened_ = look;
}

void Overlap::close(const Look& look) {
  is_open_ = false;
  std::int64_t clock_ns = look.now_ns - opened_.now_ns;
  std::int64_t threads = std::max(look.threads, opened_.threads);  // a region may have begun since, or be over
  closed_ = look;
  block_ = added(block_, {clock_ns, look.flown_ns - opened_.flown_ns, look.stored_ns - opened_.stored_ns,
                          look.stored - opened_.stored, look.cpu_ns - opened_.cpu_ns, threads * clock_ns, 0});
  if (block_.clock_ns < block_ns) return;
  judged_ = added(judged_, judged(block_));
  block_ = {};
}

Overlap::Sum Overlap::sum() const { return added(judged_, judged(block_)); }

namespace {

// Waits for devices, by their length.
class Lengths {
 public:
  void add(std::int64_t ns) {
    int bucket = bucket_of(ns);
    count_[bucket].fetch_add(1, std::memory_order_relaxed);
    ns_[bucket].fetch_add(ns, std::memory_order_relaxed);
  }
  // One in so many is shorter. 0: there was none yet.
  std::int64_t that_one_is_below(std::int64_t of) const {
    std::int64_t all = count(), below = 0;
    for (int i = 0; i < Site::buckets; ++i) {
      std::int64_t here = count_[i].load(std::memory_order_relaxed);
      if (here && (below += here) > all / of) return ns_[i].load(std::memory_order_relaxed) / here;
    }
    return 0;
  }
  std::int64_t count() const {
    std::int64_t all = 0;
    for (const auto& count : count_) all += count.load(std::memory_order_relaxed);
    return all;
  }
  void reset() {
    for (auto& count : count_) count.store(0, std::memory_order_relaxed);
    for (auto& ns : ns_) ns.store(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> count_[Site::buckets] = {}, ns_[Site::buckets] = {};
};
constinit Lengths early, some;  // that began with few others in flight; one in eight of all

// How long one takes with few others in flight. The first few calls of a program say little: what serves them is just being set up.
std::int64_t early_ns() {
  constexpr std::int64_t enough = 16;
  std::int64_t ns = early.that_one_is_below(4), shortest_ns = some.that_one_is_below(100);
  if (early.count() >= enough) return ns;
  return ns && shortest_ns ? std::min(ns, shortest_ns) : ns + shortest_ns;
}

// A look asks the kernel, which asks after each thread, and adds up what each thread has. So there is a time between two, of which
// one takes a hundredth.
constexpr std::int64_t looks_apart = 100;

// All under the lock.
struct Watch {
  Overlap overlap;
  Overlap::Look last;
  std::int64_t apart_ns = 0;  // no look sooner than so long after the last
  std::int64_t left_ns = 0;   // open, though nothing waits since then: it was too soon for a look. 0: not so
};
constinit sys::Lock watch_lock;
constinit Watch watch;

const Overlap::Look& look(std::int64_t now_ns) {
  Flown flown = sum_of_flown();
  std::int64_t threads = std::max<std::int64_t>(flown.team, 1) + workers_beside.load(std::memory_order_relaxed);
  watch.last = {now_ns, sys::process_cpu_ns(), flown.ns, flown.stored_ns, flown.stored, early_ns(), threads};
  watch.apart_ns = looks_apart * (base::now_ns() - now_ns);
  return watch.last;
}

bool is_too_soon(std::int64_t now_ns) { return now_ns - watch.last.now_ns < watch.apart_ns; }

// What was computed until then is not known any more, and counts for nothing.
void close_as_left(Overlap& overlap, Overlap::Look now, std::int64_t cpu_ns) {
  now.now_ns = watch.left_ns;
  now.cpu_ns = cpu_ns;
  overlap.close(now);
}

}  // namespace

void stored_flight_ends(std::int64_t at_once, std::int64_t flown_ns) {
  static constinit std::atomic<int> cores{0};
  if (!cores.load(std::memory_order_relaxed)) cores.store(sys::usable_cores(), std::memory_order_relaxed);
  Counters& counters = mine();
  counters.stored_ns.add(flown_ns);
  counters.stored.add(1);
  if (counters.stored.value() % 8 == 1) some.add(flown_ns);
  if (at_once <= std::max(cores.load(std::memory_order_relaxed), 2)) early.add(flown_ns);
}

void flights_begin() {
  std::int64_t now_ns = base::now_ns();
  sys::LockScope locked(watch_lock);
  Overlap& overlap = watch.overlap;
  bool goes_on = overlap.is_open() && (!watch.left_ns || now_ns - watch.left_ns < watch.apart_ns);
  if (!goes_on && overlap.is_open()) {
    std::int64_t cpu_ns = watch.last.cpu_ns;
    close_as_left(overlap, look(now_ns), cpu_ns);
    overlap.open(watch.last);
  } else if (!goes_on) {
    overlap.open(is_too_soon(now_ns) ? watch.last : look(now_ns));
  }
  watch.left_ns = 0;
}

void flights_end() {
  std::int64_t now_ns = base::now_ns();
  sys::LockScope locked(watch_lock);
  if (!watch.overlap.is_open() || gauges.in_flight.value() > 0) return;
  if (is_too_soon(now_ns)) watch.left_ns = now_ns;
  else watch.overlap.close(look(now_ns));
}

Overlap::Sum overlap_now() {
  // A signal handler that ends the process may have interrupted one of the above on its own thread.
  if (!watch_lock.lock_within(100 * base::ns_per_ms)) return {};
  Overlap so_far = watch.overlap;
  if (so_far.is_open()) {
    std::int64_t now_ns = base::now_ns(), cpu_ns = watch.last.cpu_ns;
    Watch before = watch;
    const Overlap::Look& now = look(now_ns);
    if (before.left_ns) close_as_left(so_far, now, cpu_ns);
    else so_far.close(now);
    watch = before;
  }
  watch_lock.unlock();
  return so_far.sum();
}

void overlap_after_fork() {
  watch_lock.after_fork();
  watch = {};
  early.reset();
  some.reset();
}

}  // namespace weir::meter
