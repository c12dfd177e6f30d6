// SPDX-License-Identifier: Apache-2.0
#include "path/ringless.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <atomic>

#include "base/clock.h"
#include "base/thread.h"
#include "errand/errand.h"
#include "gate/gate.h"
#include "path/engine.h"
#include "sys/file.h"
#include "sys/lock.h"
#include "sys/own.h"
#include "sys/process.h"
#include "sys/raw.h"
#include "sys/wakes.h"

namespace weir::path {
namespace {

constinit std::atomic<bool> without{false};

// Those with a time limit, by no order, under the lock; its end stands in time[0]. A request is in the list before the kernel knows
// it, and the lock is held until both do.
constinit sys::Lock lock;
constinit op::Request* limited = nullptr;

//   who waits: the request; begun + 1 (release); epoll_ctl ..> epoll_pwait: ready; begun (acquire); the request
// The kernel orders the two as well, but in no words of the language.
constinit std::atomic<std::uint32_t> begun{0};

void unlink(op::Request& request) {
  op::Request** at = &limited;
  while (*at && *at != &request) at = &(*at)->next_doubt;
  if (*at) *at = request.next_doubt;
}

// In the ring's place: its number is not taken then.
int epoll() { return sys::own(sys::Own::ring); }

Result control(int what, op::Request& request, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &request;
  int fd = request.op.fd;
  begun.fetch_add(1, std::memory_order_release);
  return sys::raw(SYS_epoll_ctl, epoll(), what, fd, sys::word(&event));
}

// A copy of the descriptor stands for the same, whatever becomes of the number meanwhile. Where there is no room high up, what is
// left is the program's: then the number itself is waited at.
void copy_up(op::Request& request) {
  Result copy = sys::copied_up(request.op.fd);
  request.owed = !failed(copy);
  if (request.owed) request.op.fd = static_cast<int>(copy);
}

// After it the request may be gone. To close the copy alone would leave it with the kernel while the program's own is open; and what
// the kernel does not know by that number any more is none of ours: the program has closed all, and opened something there.
void end(op::Request& request, Result result) {
  bool is_there = request.op.kind == op::Kind::poll && !failed(control(EPOLL_CTL_DEL, request, 0));
  if (request.owed && is_there) sys::close(request.op.fd);
  request.result = result;
  request.done(request);
}

void end_overdue(std::int64_t now_ns) {
  op::Request* over = nullptr;
  {
    sys::LockScope locked(lock);
    for (op::Request** at = &limited; *at;) {
      op::Request& request = **at;
      if (request.time[0] > now_ns) {
        at = &request.next_doubt;
        continue;
      }
      *at = request.next_doubt;
      request.next_doubt = over;
      over = &request;
    }
  }
  while (over) {
    op::Request& request = *over;
    over = request.next_doubt;
    end(request, -ETIME);
  }
}

std::int64_t next_end_ns() {
  sys::LockScope locked(lock);
  std::int64_t first = INT64_MAX;
  for (op::Request* at = limited; at; at = at->next_doubt) first = std::min(first, at->time[0]);
  return first;
}

void end_ready(const epoll_event& event) {
  auto* request = static_cast<op::Request*>(event.data.ptr);
  if (!request) {
    std::uint64_t count;
    sys::read(sys::own(sys::Own::wake), &count, sizeof count);
    return;
  }
  if (request->op.timeout_ns >= 0) {
    sys::LockScope locked(lock);
    unlink(*request);
  }
  end(*request, static_cast<Result>(event.events));
}

void wait_for_all(void*) {
  constexpr std::int64_t longest_ns = 250 * base::ns_per_ms;
  constexpr int most = 64;
  epoll_event events[most];
  while (true) {
    std::int64_t now = base::now_ns(), patience_ns = tick(now);
    if (patience_ns < 0 || patience_ns > longest_ns) patience_ns = longest_ns;
    patience_ns = std::clamp<std::int64_t>(next_end_ns() - now, 0, patience_ns);
    int ms = static_cast<int>((patience_ns + base::ns_per_ms - 1) / base::ns_per_ms);
    Result ready = sys::raw(SYS_epoll_pwait, epoll(), sys::word(events), most, ms, 0, 8);
    if (failed(ready)) sys::sleep_ns(base::ns_per_ms);  // the program closed it
    begun.load(std::memory_order_acquire);
    sys::WakesTogether together;
    for (Result i = 0; i < ready; ++i) end_ready(events[i]);
    end_overdue(base::now_ns());
  }
}

bool open_both() {
  Result all = sys::raw(SYS_epoll_create1, EPOLL_CLOEXEC);
  if (failed(all)) return false;
  sys::set_own(sys::Own::ring, sys::moved_up(static_cast<int>(all)));
  Result bell = sys::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (failed(bell)) return false;
  sys::set_own(sys::Own::wake, sys::moved_up(static_cast<int>(bell)));
  epoll_event event{};
  event.events = EPOLLIN;
  return !failed(sys::raw(SYS_epoll_ctl, epoll(), EPOLL_CTL_ADD, sys::own(sys::Own::wake), sys::word(&event)));
}

void close_both() {
  for (sys::Own which : {sys::Own::ring, sys::Own::wake}) {
    if (int fd = sys::own(which); fd >= 0) sys::close(fd);
    sys::set_own(which, -1);
  }
}

// Not stdio's: it is made under the FILE's lock, which is its thread's.
bool reads_file(const Call& call, const Plan& plan) {
  return plan.storage && call.direction == Direction::in && call.part_count > 0 && !call.moved &&
         (call.family == Family::file_at || call.family == Family::next);
}

// Those that can't be polled for: a socket that does not listen never gets ready, and accept says so at once.
bool is_whole(const Call& call) {
  using op::Kind;
  if (call.family != Family::direct || !call.operation) return false;
  Kind kind = call.operation->kind;
  return kind == Kind::timeout || kind == Kind::fsync || kind == Kind::accept || kind == Kind::connect;
}

bool gets_stand_ins() {
  return (base::self().place & base::in_tbb_arena) && gate::the_gate.on_blocked.load(std::memory_order_relaxed);
}

}  // namespace

void go_without_ring() {
  bool goes = open_both() && !sys::start_thread(wait_for_all, nullptr, "weir-watch");
  if (!goes) close_both();
  without.store(goes, std::memory_order_release);
}

bool is_without_ring() { return without.load(std::memory_order_acquire); }

bool parks_without_ring(const Call& call, Plan& plan) {
  if (!is_without_ring() || gets_stand_ins()) return true;
  if (plan.way == Way::receive) plan.way = Way::poll;
  if (plan.way == Way::poll) return false;
  bool any_thread_may = reads_file(call, plan) || is_whole(call);
  if (any_thread_may) plan.way = Way::errand;
  return !any_thread_may || !errand::is_free();
}

bool waits_without_ring(const op::Op& operation) {
  return is_without_ring() && (operation.kind == op::Kind::poll || (operation.kind == op::Kind::timeout && !operation.absolute));
}

bool wait_without_ring(op::Request& request) {
  if (!waits_without_ring(request.op)) return false;
  bool polls = request.op.kind == op::Kind::poll;
  if (polls) copy_up(request);
  bool is_copy = request.owed, has_limit = request.op.timeout_ns >= 0;
  if (has_limit) {
    lock.lock();
    request.time[0] = base::now_ns() + request.op.timeout_ns;
    request.next_doubt = limited;
    limited = &request;
  }
  bool waits = !polls || !failed(control(EPOLL_CTL_ADD, request, request.op.events | EPOLLONESHOT));  // if so, it may be gone
  if (!waits && is_copy) sys::close(request.op.fd);
  if (has_limit) {
    if (!waits) unlink(request);
    lock.unlock();
    std::uint64_t one = 1;
    sys::write(sys::own(sys::Own::wake), &one, sizeof one);
  }
  return waits;
}

void ringless_after_fork() {
  if (without.exchange(false)) close_both();
  lock.after_fork();
  limited = nullptr;
}

}  // namespace weir::path
