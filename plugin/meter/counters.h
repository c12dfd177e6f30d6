// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/thread.h"
#include "meter/reason.h"

namespace weir::meter {

// What one thread did since it began. Only its own thread writes, so adding is a plain load and store; anyone may read.
class Count {
 public:
  void add(std::int64_t n) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void reset() { value_.store(0, std::memory_order_relaxed); }
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

// The figures of a report, one row each: meter.cpp sums them, api/report prints them, tests name them.
struct alignas(128) Counters {
  Count calls;          // intercepted or explicit blocking calls
  Count bytes_read;
  Count bytes_written;
  Count fast_hits;      // served without blocking, inside a task or team
  Count parked;         // the thread blocked, its core given away
  Count suspended;      // the task was set aside
  Count plain;          // passed through
  Count blocked_ns;     // time calls waited, parked and suspended
  Count hidden_ns;      // the part of it during which the core was given to others
  Count storage_ops;    // completed calls on files that took a permit: what the controller judges by
  Count storage_bytes;
  Count parked_ns;      // of blocked_ns, with the thread blocked
  Count suspended_ns;   // of blocked_ns, with the task set aside
  Count beside_ns;      // operations that were started, and waited for later: how long they were under way,
  Count beside_hidden_ns;  // and for how much of that no thread blocked
  Count core_wait_ns;   // from the end of a wait until there was a core to go on with
  Count flown_ns;       // in flight, all its calls together, since they had their permits
  Count stored_ns;      // of flown_ns, for files and devices,
  Count stored;         // so many of these
  Count team;           // threads of the program's own, without stand-ins, that it has at work now
  Count lost_ns[reason_count];  // callers blocked, and their cores went to nobody, by reason
  Count reasons[reason_count];
  std::atomic<std::uint64_t> regions{0};  // the part of Regions' sum that this thread has added, and left

  Counters* next = nullptr;            // of all there ever were
  std::atomic<bool> in_use{false};     // a thread that ends leaves its record, with its counts, to the next
};

// The calling thread's counters; never fails: when memory is out, threads share one record and counts are inexact.
Counters& mine();

// The same for code that can't be suspended between this and its last use: inline, what an untouched call pays.
inline Counters& mine_unsuspended() {
  Counters* counters = base::self_unsuspended().counters;
  return counters ? *counters : mine();
}

// Gives the calling thread's record to the next thread that asks. Called when a thread ends.
void leave();

// Called on a thread that is given a record: whoever can see threads end sets it, to call leave() then.
extern std::atomic<void (*)()> on_first_call;

// Everything added up, now. Relaxed: a running thread's last few calls may be missing.
struct Totals {
  std::int64_t calls = 0, bytes_read = 0, bytes_written = 0, fast_hits = 0, parked = 0, suspended = 0, plain = 0;
  std::int64_t blocked_ns = 0, hidden_ns = 0, storage_ops = 0, storage_bytes = 0;
  std::int64_t parked_ns = 0, suspended_ns = 0, beside_ns = 0, beside_hidden_ns = 0, core_wait_ns = 0;
  std::int64_t reasons[reason_count] = {}, lost_ns[reason_count] = {};

  // Of calls, and of operations that were started and waited for later.
  std::int64_t all_waits_ns() const { return blocked_ns + beside_ns; }
  std::int64_t all_hidden_ns() const { return hidden_ns + beside_hidden_ns; }
};
Totals totals();

// The sum of all threads' `regions`.
std::uint64_t sum_of_regions();

// The same of what is about flights, and of `team`.
struct Flown {
  std::int64_t ns = 0, stored_ns = 0, stored = 0, team = 0;
};
Flown sum_of_flown();

// In a forked child: the parent's figures are not ours, and its threads are not here.
void after_fork();

inline void raise_to(std::int64_t now, std::atomic<std::int64_t>& peak_of_all) {
  std::int64_t peak = peak_of_all.load(std::memory_order_relaxed);
  while (now > peak && !peak_of_all.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {}
}

// How many callers wait right now, and the most there ever were.
class Gauge {
 public:
  void rise() {
    raise_to(value_.fetch_add(1, std::memory_order_relaxed) + 1, peak_);
  }
  std::int64_t fall() { return value_.fetch_sub(1, std::memory_order_relaxed) - 1; }  // what is left
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }
  std::int64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  void reset() {
    value_.store(0, std::memory_order_relaxed);
    peak_.store(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> value_{0};
  std::atomic<std::int64_t> peak_{0};
};

// The first call begins to wait where none did, or the last one ended (meter/overlap.h).
void flights_begin();
void flights_end();

// The same for calls that wait, in whatever lane, and for those of them that block their threads: two counts in one word, since a
// call that does costs little else.
class Flights {
 public:
  std::int64_t rise(bool parked = false) {  // what there are now
    std::int64_t step = parked ? one_parked + 1 : 1;
    std::int64_t now = low(both_.fetch_add(step, std::memory_order_relaxed) + step);
    raise_to(now, peak_);
    if (now == 1) flights_begin();
    return now;
  }
  // `flown_ns`: for so long it waited for what it is about, and not for its turn.
  void fall(std::int64_t flown_ns, bool parked = false) {
    std::int64_t step = parked ? one_parked + 1 : 1;
    mine().flown_ns.add(flown_ns);
    if (low(both_.fetch_sub(step, std::memory_order_relaxed) - step) == 0) flights_end();
  }
  std::int64_t value() const { return low(both_.load(std::memory_order_relaxed)); }
  std::int64_t parked() const { return high(both_.load(std::memory_order_relaxed)); }
  std::int64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  void reset() {
    both_.store(0, std::memory_order_relaxed);
    peak_.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr std::int64_t one_parked = std::int64_t{1} << 32;
  static std::int64_t low(std::int64_t both) { return static_cast<std::int32_t>(both); }
  static std::int64_t high(std::int64_t both) { return (both - low(both)) / one_parked; }
  std::atomic<std::int64_t> both_{0};
  std::atomic<std::int64_t> peak_{0};
};

struct Gauges {
  Flights in_flight;
  Gauge suspended;   // of these, tasks set aside
  Gauge ready;       // tasks whose wait is over and that do not go on yet
  std::atomic<std::int64_t> blocked{0};  // threads that block in a call, or wait for a permit to
  std::atomic<std::int64_t> aside{0};    // tasks set aside for whatever reason, those that are ready included
  std::atomic<std::int64_t> resumed{0};  // how many went on
  Count ring_ops;    // operations given to io_uring; written by whoever submits, under the ring's lock
};
extern Gauges gauges;

}  // namespace weir::meter
