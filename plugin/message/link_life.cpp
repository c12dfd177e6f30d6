// SPDX-License-Identifier: Apache-2.0
// How a link comes, watches over its peer, and goes.
#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "base/clock.h"
#include "base/spin.h"
#include "message/link.h"
#include "sys/file.h"
#include "sys/raw.h"
#include "weir/task.h"

namespace weir::message {
namespace {

constexpr std::int64_t ticks_in_silence = 8;
constexpr std::int64_t more_than_a_ping = 64;  // bytes of its frame, generously

// All links, for a fork's child.
struct All {
  base::Spin lock;
  Link* first = nullptr;
};
constinit All all;

}  // namespace

Link::Link(int fd, std::int64_t silence_ns) : fd_(fd), silence_ns_(silence_ns) {
  in_.belongs_to(*this, readable);
  out_.belongs_to(*this, writable);
  clock_.belongs_to(*this, tick);
  base::SpinScope locked(all.lock);
  next_link = all.first;
  all.first = this;
}

Link::~Link() {
  for (std::uint64_t i = incoming_.base(); i < incoming_.end(); ++i) std::free(incoming_.find(i)->kept);
  base::SpinScope locked(all.lock);
  Link** at = &all.first;
  while (*at && *at != this) at = &(*at)->next_link;
  if (*at) *at = next_link;
}

Link* Link::make(int fd, std::int64_t silence_ns) {
  void* memory = std::malloc(sizeof(Link));
  return memory ? new (memory) Link(fd, silence_ns) : nullptr;
}

void Link::release() {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  this->~Link();
  std::free(this);
}

int Link::start() {
  Turn turn(*this);
  heard_ns_ = base::now_ns();
  if (int error = in_.arm(op::poll(fd_, POLLIN))) return error;
  something_to_say();
  return 0;
}

void Link::readable(Link& link) {
  Turn turn(link);
  link.pumping_ = true;
  if (link.lingering_) {
    link.lingering_ = link.still_draining();
  } else {
    link.pump_in();
    link.pump_out();
  }
  link.pumping_ = false;
  bool more = !link.error_ || link.lingering_;
  if (more && link.in_.arm(op::poll(link.fd_, POLLIN))) link.fail(-EAGAIN), link.lingering_ = false;
  link.settle();
}

void Link::writable(Link& link) {
  Turn turn(link);
  link.pumping_ = true;
  link.pump_out();
  link.pumping_ = false;
  link.settle();
}

// After our end was closed: what still comes is read and dropped, since unread it would make the kernel reset the
// connection, and take with it what we sent last.
bool Link::still_draining() {
  while (true) {
    Result got = sys::recvfrom(fd_, staging_, staging_bytes, MSG_DONTWAIT, nullptr, nullptr);
    if (got == -EAGAIN || got == -EINTR) return true;
    if (got <= 0) return false;
  }
}

void Link::arm_tick() {
  if ((error_ && !lingering_) || clock_.armed()) return;
  clock_.arm(op::timeout(std::max<std::int64_t>(silence_ns_ / ticks_in_silence, base::ns_per_ms)));
}

// While a transfer waits: has the peer been heard, or has the kernel at least got rid of something? It gets its time from
// when it was asked, so that a tick of ours that comes late does it no wrong.
void Link::tick(Link& link) {
  Turn turn(link);
  std::int64_t now = base::now_ns();
  if (link.lingering_) {
    if (now - link.closed_ns_ >= link.silence_ns_) link.lingering_ = false;
  } else if (link.pending_ && !link.error_) {
    int undelivered = 0;
    sys::raw(SYS_ioctl, link.fd_, SIOCOUTQ, sys::word(&undelivered));
    // A ping that only the peer's kernel took says nothing of the peer.
    std::int64_t delivered = link.written_ - undelivered;
    bool delivers = delivered > link.delivered_ + (link.pinged_ns_ ? more_than_a_ping : 0);
    if (delivers) link.heard_ns_ = now;
    if (delivers || !link.pinged_ns_) link.delivered_ = delivered;
    if (delivers || now - link.heard_ns_ < link.silence_ns_ / 3) {
      link.pinged_ns_ = 0;
    } else if (!link.pinged_ns_) {
      link.pinged_ns_ = now;
      link.ping_due_ = true;
      link.something_to_say();
    } else if (now - link.pinged_ns_ >= link.silence_ns_ / 3 * 2) {
      link.fail(-ETIMEDOUT);
    }
  }
  if (!link.closing_ || link.lingering_)
    if (link.pending_ || link.lingering_) link.arm_tick();
  link.settle();
}

// Tells close() that what it waits for is so: at the end of this turn, since it frees the link.
void Link::settle() {
  if (!closer_ || closer_waits_(*this)) return;
  closer_told_ = closer_;
  closer_ = nullptr;
}

void Link::wait_for_end_of(bool (*going_on)(Link&)) {
  {
    Turn turn(*this);
    closer_waits_ = going_on;
  }
  weir_block(
      [](void* link_, weir_waiter* waiter) {
        auto& link = *static_cast<Link*>(link_);
        Turn turn(link);
        link.closer_ = waiter;
        link.settle();
      },
      this);
}

void Link::close() {
  if (foreign_) return;
  {
    Turn turn(*this);
    closing_ = true;
    closed_ns_ = base::now_ns();
    fail(-ECANCELED, true);
    arm_tick();
  }
  wait_for_end_of([](Link& link) { return link.lingering_; });
  sys::raw(SYS_shutdown, fd_, SHUT_RDWR);
  clock_.cancel();
  wait_for_end_of([](Link& link) { return link.in_.armed() || link.out_.armed() || link.clock_.armed(); });
  sys::close(fd_);
  release();
}

void Link::after_fork() {
  lock_.after_fork();
  error_ = -ENOTCONN;
  foreign_ = true;
  closer_ = closer_told_ = nullptr;
}

void after_fork() {
  all.lock.unlock();
  for (Link* link = all.first; link; link = link->next_link) link->after_fork();
  table_after_fork();
  transfers_after_fork();
}

}  // namespace weir::message
