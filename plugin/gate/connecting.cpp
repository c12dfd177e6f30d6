// SPDX-License-Identifier: Apache-2.0
#include "gate/connecting.h"

#include <netinet/in.h>

#include <algorithm>

#include "base/clock.h"
#include "sys/futex.h"
#include "sys/process.h"

namespace weir::gate {

constinit Connecting connecting;

namespace {
constexpr std::int64_t longest_ns = 4 * base::ns_per_s;  // that any waits for its turn
}

bool tries_again(const op::Op& operation) {
  auto* peer = static_cast<const sockaddr*>(operation.buffer);
  if (operation.kind != op::Kind::connect || operation.bytes < sizeof(sockaddr_in) || !sys::may_be_read(peer)) return false;
  return peer->sa_family == AF_INET || peer->sa_family == AF_INET6;
}

std::int64_t Connecting::limit(std::int64_t cores) const {
  constexpr std::int64_t at_first_a_core = 8;
  return std::min<std::int64_t>(at_first_a_core * std::max<std::int64_t>(cores, 1) + more_, most);
}

Connecting::New* Connecting::find(Turn turn) {
  New* found = std::find_if(all_, all_ + count_, [turn](const New& one) { return one.turn == turn; });
  return found == all_ + count_ ? nullptr : found;
}

Connecting::Turn Connecting::begin(std::int64_t cores) {
  sys::LockScope hold(lock_);
  cores_ = cores;
  std::int64_t left_ns = longest_ns;
  for (std::int64_t end_ns = 0; left_ns > 0 && count_ >= limit(cores);) {
    if (!end_ns) end_ns = base::now_ns() + longest_ns;
    std::uint32_t seen = changed_.load(std::memory_order_relaxed);
    ++waiting_;
    lock_.unlock();
    sys::futex_wait(changed_, seen, left_ns);
    left_ns = end_ns - base::now_ns();
    lock_.lock();
    --waiting_;
  }
  ++last_;
  if (count_ < most) all_[count_++] = {last_, false, nullptr, -1, 0};
  return last_;
}

// After `change(now_ns)`, if that changed something, others may begin.
template <typename Change>
void Connecting::apply(Change change) {
  base::Queue may_go;
  {
    sys::LockScope hold(lock_);
    std::int64_t now = base::now_ns();
    if (!change(now)) return;
    let_others_begin_locked(now, may_go);
  }
  submit(may_go);
}

void Connecting::made(Turn turn, std::int64_t took_ns) {
  apply([&](std::int64_t) {
    New* mine = find(turn);
    if (mine) made_locked(*mine, took_ns);
    return mine != nullptr;
  });
}

void Connecting::made_locked(New& mine, std::int64_t took_ns) {
  constexpr std::int64_t tried_again_ns = 500 * base::ns_per_ms;
  constexpr int may_overtake = 2;
  mine.made = true;
  auto overtaken = [turn = mine.turn](const New& other) { return !other.made && other.turn < turn; };
  if (took_ns > tried_again_ns || std::count_if(all_, all_ + count_, overtaken) > may_overtake) return;
  ++more_;
}

void Connecting::over(Turn turn) {
  apply([&](std::int64_t) {
    New* mine = find(turn);
    if (mine) remove_locked(mine);
    return mine != nullptr;
  });
}

void Connecting::remove_locked(New* which) { *which = all_[--count_]; }

void Connecting::begin_locked(const op::Request& request, std::int64_t now_ns) {
  ++last_;
  if (count_ < most) all_[count_++] = {last_, false, &request, -1, now_ns};
}

bool Connecting::admit(op::Request& request, std::int64_t cores, void (*submit)(op::Request&)) {
  std::int64_t now = base::now_ns();
  bool has_limit = request.op.timeout_ns >= 0;  // that begins when it is submitted
  sys::LockScope hold(lock_);
  cores_ = cores;
  submit_ = submit;
  if (!is_there_room()) forget_old_locked(now);
  if (has_limit || (queue_.empty() && is_there_room())) {
    begin_locked(request, now);
    return true;
  }
  request.time[0] = now;
  queue_.push(&request);
  queued_.fetch_add(1, std::memory_order_relaxed);
  return false;
}

bool Connecting::withdraw(op::Request& request) {
  if (!any_queued()) return false;
  sys::LockScope hold(lock_);
  if (!queue_.remove(&request)) return false;
  queued_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

void Connecting::ended(const op::Request& request) {
  apply([&](std::int64_t now) {
    New* mine = std::find_if(all_, all_ + count_, [&](const New& one) { return one.request == &request; });
    if (mine == all_ + count_) return false;
    if (failed(request.result)) {
      remove_locked(mine);
    } else {
      made_locked(*mine, now - mine->since_ns);
      *mine = {mine->turn, true, nullptr, request.op.fd, now};
      marks_[word_of(request.op.fd)].fetch_or(bit_of(request.op.fd), std::memory_order_relaxed);
    }
    return true;
  });
}

void Connecting::over_at(int fd) {
  apply([&](std::int64_t) {
    bool shared = false;
    for (int i = count_ - 1; i >= 0; --i) {
      int other = all_[i].fd;
      if (other == fd) remove_locked(&all_[i]);
      else if (other >= 0) shared = shared || (word_of(other) == word_of(fd) && bit_of(other) == bit_of(fd));
    }
    if (!shared) marks_[word_of(fd)].fetch_and(~bit_of(fd), std::memory_order_relaxed);
    return true;
  });
}

void Connecting::number_ends(int fd) {
  base::Queue may_go;
  {
    sys::LockScope hold(lock_);
    for (base::Link* at = queue_.first(); at;) {
      auto* request = static_cast<op::Request*>(at);
      at = at->next;
      if (request->op.fd != fd || !queue_.remove(request)) continue;
      queued_.fetch_sub(1, std::memory_order_relaxed);
      may_go.push(request);
    }
  }
  submit(may_go);
}

void Connecting::look(std::int64_t now_ns) {
  if (!any_queued()) return;
  base::Queue may_go;
  {
    sys::LockScope hold(lock_);
    forget_old_locked(now_ns);
    let_others_begin_locked(now_ns, may_go);
    while (queue_.first() && static_cast<op::Request*>(queue_.first())->time[0] < now_ns - longest_ns) {
      may_go.push(queue_.pop());
      queued_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  submit(may_go);
}

// Of a task's connection it may never be seen that something is received.
void Connecting::forget_old_locked(std::int64_t now_ns) {
  constexpr std::int64_t new_ns = base::ns_per_s;
  for (int i = count_ - 1; i >= 0; --i)
    if (all_[i].fd >= 0 && all_[i].since_ns < now_ns - new_ns) remove_locked(&all_[i]);
}

void Connecting::let_others_begin_locked(std::int64_t now_ns, base::Queue& may_go) {
  if (waiting_ > 0) {
    changed_.fetch_add(1, std::memory_order_relaxed);
    sys::futex_wake(changed_);
  }
  while (!queue_.empty() && is_there_room()) {
    auto* next = static_cast<op::Request*>(queue_.pop());
    queued_.fetch_sub(1, std::memory_order_relaxed);
    begin_locked(*next, now_ns);
    may_go.push(next);
  }
}

// Not under the lock: one that is submitted may end at once.
void Connecting::submit(base::Queue& may_go) {
  while (base::Link* next = may_go.pop()) submit_(*static_cast<op::Request*>(next));
}

// Those of the parent's that were at it are not here.
void Connecting::after_fork() {
  lock_.after_fork();
  count_ = waiting_ = 0;
  queue_ = {};
  queued_.store(0, std::memory_order_relaxed);
}

}  // namespace weir::gate
