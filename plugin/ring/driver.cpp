// SPDX-License-Identifier: Apache-2.0
#include "ring/driver.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "meter/counters.h"
#include "sys/file.h"
#include "sys/futex.h"
#include "sys/idle.h"
#include "sys/own.h"
#include "sys/process.h"
#include "sys/raw.h"

namespace weir::ring {
namespace {

constexpr unsigned ring_entries = 512;
// Waking costs both sides microseconds. With so many calls in flight, those that come while the driver dozes may wait for
// each other for so long.
constexpr std::int64_t crowd = 256;
constexpr std::int64_t doze_ns = 50 * base::ns_per_us;

// With so many tasks that could go on, and all threads busy, what they ask for next and what else is over need not be known
// at once: to look each time would only take the core from them. Until a thread has nothing to do, or for so long: past the
// kernel's next tick in any case, since an earlier timer must be set in hardware, which costs a virtual machine 10 us and more.
constexpr std::int64_t backlog = 4;
constexpr std::int64_t nap_ns = 4 * base::ns_per_ms;

// What waits for somebody else can be begun late: that one's deed is not lost.
bool waits_for_others(op::Kind kind) {
  using op::Kind;
  return kind == Kind::poll || kind == Kind::recv || kind == Kind::recvmsg || kind == Kind::accept || kind == Kind::readv;
}

// A device with so many operations under way is busy for a while: what comes meanwhile is given to it together, so many at most. Where
// they lie side by side, as files do that were written one after the other, the kernel makes one request of several; and a driver
// that is not woken for each leaves the core to others.
constexpr std::int64_t plenty = 32;
constexpr int gather = 32;

// How long what began on a guess waits at least before it is asked: twice that at most.
constexpr std::int64_t doubts_ns = 8 * base::ns_per_ms;

// A thread that sleeps nearly always and has a few microseconds of work when it wakes: a short slice gets it onto a
// busy core at once (Linux 6.12 takes sched_runtime as the slice of an ordinary thread; older kernels ignore it).
void ask_for_short_slices() {
  struct {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime_ns, deadline_ns, period_ns;
  } attributes{};
  attributes.size = sizeof attributes;
  attributes.runtime_ns = 100'000;
  Result priority = sys::raw(SYS_getpriority, 0, 0);  // PRIO_PROCESS, this thread
  if (!failed(priority)) attributes.nice = static_cast<std::int32_t>(20 - priority);
  sys::raw(SYS_sched_setattr, 0, sys::word(&attributes), 0);
}

}  // namespace

int Driver::start(const sys::Capabilities& can, std::int64_t patience_ns) {
  can_ = can;
  if (!can.io_uring) return can.ring_error;
  int error = sys::start_thread(&Driver::body, this, "weir-driver");
  if (error) return error;
  std::int64_t end = base::now_ns() + patience_ns;
  std::uint32_t now;
  while ((now = started_.load(std::memory_order_acquire)) != open_or_not) {
    // What is under way ends; what has not begun must not: another will have the ring's number.
    if (now == begun && base::now_ns() >= end && started_.compare_exchange_strong(now, too_late)) return -ETIMEDOUT;
    sys::futex_wait(started_, now, std::min(patience_ns, base::ns_per_ms * 50));
  }
  return start_result_;
}

bool Driver::submit(op::Request& request) {
  if (!running()) return false;
  bool stored = request.binds_permit;
  bool urgent = stored || (!waits_for_others(request.op.kind) && sleep_.load(std::memory_order_relaxed) == napping);
  Sleep at_least = urgent ? napping : asleep;
  if (stored) request.flew_ns = base::now_ns();
  inbox_.push(&request);  // from here on it may end, and its memory go
  if (!stored || !may_gather()) wake(at_least);
  return true;
}

//   driver: has_plenty_ <- is it so?; inbox empty?; sleep          sender: push; has_plenty_? -> no wake
// Seq_cst like those of wake(). One of the plenty that are under way ends soon, and the driver looks then.
bool Driver::may_gather() {
  return has_plenty_.load(std::memory_order_seq_cst) && gathered_.fetch_add(1, std::memory_order_relaxed) + 1 < gather;
}

// The request may end at any moment, so only its address travels; the caller's frame holds the rest and stays until the
// driver has taken it.
void Driver::cancel(op::Request& request) {
  if (!running()) return;
  if (sys::thread_id() == tid_) {
    take_inbox();  // the request may lie there yet
    ring_.prepare_cancel(&request);
    return;
  }
  Cancel cancel{{}, &request, {0}};
  wait_until_taken(cancel);
}

void Driver::wait_until_taken(Cancel& cancel) {
  cancels_.push(&cancel);
  wake();
  while (!cancel.taken.load(std::memory_order_acquire)) sys::futex_wait(cancel.taken, 0, base::ns_per_s);
}

// A driver that is awake may have taken requests, and not given them to the kernel yet.
void Driver::settle(bool asked) {
  if (!running() || sys::thread_id() == tid_) return;
  bool at_rest = inbox_.empty() && sleep_.load(std::memory_order_seq_cst) != awake;
  if (at_rest && !(asked && unsure_.load(std::memory_order_seq_cst))) return;
  Cancel nothing{{}, nullptr, {0}, asked};
  wait_until_taken(nothing);
}

void Driver::poke() { wake(); }

//   driver: sleep_ <- asleep; inbox empty?; sleep          sender: push; sleep_ == asleep? -> wake
// All four are seq_cst, so one of the two sees the other: no request is left lying with the driver asleep. A driver that
// naps or dozes looks by itself soon; only a request to a device, which must not idle, wakes it; and hurry(), from a nap.
void Driver::wake(Sleep least) {
  Sleep now = sleep_.load(std::memory_order_seq_cst);
  if (now < least) return;
  switch (sleep_.exchange(awake, std::memory_order_seq_cst)) {
    case awake: return;
    case napping:
      nap_over_.store(1, std::memory_order_release);
      sys::futex_wake(nap_over_);
      return;
    case dozing: case asleep: break;
  }
  if (can_.op_futex) {
    wake_word_.fetch_add(1, std::memory_order_release);
    sys::futex_wake(wake_word_);
    return;
  }
  std::uint64_t one = 1;
  sys::write(sys::own(sys::Own::wake), &one, sizeof one);
}

void Driver::body(void* self) { static_cast<Driver*>(self)->run(); }

bool Driver::take_inbox() {
  bool any = false;
  gathered_.store(0, std::memory_order_relaxed);
  for (base::Link* link = inbox_.take_all(); link;) {
    auto* request = static_cast<op::Request*>(link);
    link = link->next;
    any = true;
    if (int error = request->given_up ? -ECANCELED : ring_.prepare(*request)) {
      request->result = error;
      request->done(*request);
    }
  }
  return any;
}

// The cancels are taken before the inbox, and prepared after it: whoever asked for one had handed in the request before, so it
// is prepared by then. (The other way round a request that came in between would be cancelled first and submitted after.)
bool Driver::take_both() {
  base::Link* asked = cancels_.take_all();
  bool any = take_inbox();
  for (base::Link* link = asked; link;) {
    auto* cancel = static_cast<Cancel*>(link);
    link = link->next;
    if (!serve(*cancel)) {  // no room now: the next turn has
      cancels_.push(cancel);
      continue;
    }
    cancel->taken.store(1, std::memory_order_release);
    sys::futex_wake(cancel->taken);
  }
  return any;
}

bool Driver::serve(Cancel& cancel) {
  if (cancel.request) return ring_.prepare_cancel(cancel.request) == 0;
  if (cancel.asked) ring_.ask_all_doubts();
  ring_.submit();  // in vain only where the ring is gone
  return true;
}

bool Driver::arm_wake() {
  if (can_.op_futex) return ring_.prepare_futex(wake_word_, wake_word_.load()) == 0;
  return ring_.prepare_watch(sys::own(sys::Own::wake)) == 0;
}

int Driver::open() {
  tid_ = sys::thread_id();
  if (!can_.op_futex) {
    Result fd = sys::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (failed(fd)) return static_cast<int>(fd);
    sys::set_own(sys::Own::wake, sys::moved_up(static_cast<int>(fd)));
  }
  int error = ring_.open(ring_entries, can_);
  if (!error) armed_ = arm_wake();
  return error;
}

void Driver::run() {
  std::uint32_t now = begun;
  if (!started_.compare_exchange_strong(now, opening)) return;
  start_result_ = open();
  running_.store(start_result_ == 0, std::memory_order_release);
  started_.store(open_or_not, std::memory_order_release);
  sys::futex_wake(started_, 1 << 30);
  if (start_result_) return;
  ask_for_short_slices();
  while (true) turn();
}

// Operations of storage are looked after: a device must not idle.
bool Driver::may_nap(std::uint32_t told, std::uint64_t idle_before) const {
  return meter::gauges.ready.value() >= backlog &&
         sys::idle_threads_but(told, idle_before, sys::idle_state.load(std::memory_order_seq_cst)) <= 0 && !ring_.stored() &&
         inbox_.empty() && cancels_.empty();
}

//   driver: sleep_ <- napping; nothing came?; sleep       sender of what is urgent: push; sleep_ == napping? -> wake
void Driver::nap(std::uint32_t told, std::uint64_t idle_before) {
  nap_over_.store(0, std::memory_order_relaxed);
  sleep_.store(napping, std::memory_order_seq_cst);
  if (may_nap(told, idle_before)) sys::futex_wait(nap_over_, 0, nap_ns);
  sleep_.store(awake, std::memory_order_seq_cst);
}

std::int64_t Driver::doubts_patience_ns(std::int64_t now) {
  if (now >= doubts_due_) {
    ring_.ask_doubts();
    doubts_due_ = now + doubts_ns;
  }
  return doubts_due_ - now;
}

void Driver::turn() {
  bool busy = take_both();
  if (!armed_) armed_ = arm_wake();
  bool soon = ring_.give_up_unlimited() || !armed_;  // not armed: nobody can wake us
  std::int64_t now = base::now_ns();
  std::int64_t patience_ns = tick_ ? tick_(now) : -1;
  bool unsure = ring_.has_doubts();
  if (unsure != unsure_.load(std::memory_order_relaxed)) unsure_.store(unsure, std::memory_order_seq_cst);
  if (unsure) patience_ns = base::shorter(patience_ns, doubts_patience_ns(now));
  if (soon) patience_ns = base::shorter(patience_ns, base::ns_per_ms);
  bool dozes = busy && meter::gauges.in_flight.value() > crowd && (patience_ns < 0 || patience_ns > doze_ns);
  sleep_.store(dozes ? dozing : asleep, std::memory_order_seq_cst);
  bool has_plenty = ring_.stored() >= plenty;
  has_plenty_.store(has_plenty, std::memory_order_seq_cst);
  if (has_plenty) patience_ns = base::shorter(patience_ns, nap_ns);
  bool work = !inbox_.empty() || !cancels_.empty();
  int given = work ? ring_.submit() : ring_.submit_and_wait(dozes ? doze_ns : patience_ns);
  sleep_.store(awake, std::memory_order_seq_cst);
  // A ring that is gone (its descriptor closed by the program on a kernel without registered rings) can't be slept on;
  // what it still completes is found by looking.
  if (given == -EBADF || given == -EOPNOTSUPP || given == -EINVAL) sys::sleep_ns(base::ns_per_ms);
  std::uint64_t idle_before = sys::idle_state.load(std::memory_order_relaxed);
  Ring::Reaped reaped = ring_.reap();
  if (reaped.watch_fired) wake_again();
  if (may_nap(reaped.told, idle_before)) nap(reaped.told, idle_before);
}

// For the next time: the ring no longer waits for a wake.
void Driver::wake_again() {
  if (!can_.op_futex) {
    std::uint64_t count;
    sys::read(sys::own(sys::Own::wake), &count, sizeof count);
  }
  armed_ = arm_wake();
}

void Driver::after_fork() {
  running_.store(false);
  started_.store(begun);
  sleep_.store(awake);
  sys::idle_state.store(0);  // they were the parent's
  has_plenty_.store(false);
  gathered_.store(0);
  inbox_.take_all();
  cancels_.take_all();
  if (int fd = sys::own(sys::Own::wake); fd >= 0) sys::close(fd);
  sys::set_own(sys::Own::wake, -1);
  ring_.forget();
}

}  // namespace weir::ring
