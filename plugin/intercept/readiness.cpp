// SPDX-License-Identifier: Apache-2.0
// poll, select, epoll_wait. One descriptor, the ring can wait for; of several, or with a signal mask that must change
// together with the wait, only a thread can.
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

#include "intercept/errno_edge.h"
#include "intercept/real.h"
#include "path/call.h"
#include "sys/file.h"
#include "sys/raw.h"

namespace weir::intercept {
namespace {

using path::Call;
using path::Family;

WEIR_REAL Real<int(pollfd*, nfds_t, int)> real_poll{"poll"};
WEIR_REAL Real<int(pollfd*, nfds_t, const timespec*, const sigset_t*)> real_ppoll{"ppoll"};
WEIR_REAL Real<int(int, fd_set*, fd_set*, fd_set*, timeval*)> real_select{"select"};
WEIR_REAL Real<int(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*)> real_pselect{"pselect"};
WEIR_REAL Real<int(int, epoll_event*, int, int)> real_epoll_wait{"epoll_wait"};
WEIR_REAL Real<int(int, epoll_event*, int, int, const sigset_t*)> real_epoll_pwait{"epoll_pwait"};
WEIR_REAL Real<int(int, epoll_event*, int, const timespec*, const sigset_t*)> real_epoll_pwait2{"epoll_pwait2"};
WEIR_REAL Real<int(pollfd*, nfds_t, int, size_t)> real_poll_chk{"__poll_chk"};
WEIR_REAL Real<int(pollfd*, nfds_t, const timespec*, const sigset_t*, size_t)> real_ppoll_chk{"__ppoll_chk"};

// A call that asks without waiting is nobody's business.
bool waits(int timeout_ms) { return timeout_ms != 0 && path::concerns_us(); }

std::int64_t to_ns(int timeout_ms) { return timeout_ms < 0 ? -1 : timeout_ms * 1'000'000LL; }

Call readiness(Result (*real)(Call&), const void* arguments) {
  Call call{Family::direct};
  call.ends = wait::Ends::handled;
  call.when_timed_out = 0;
  call.real = real;
  call.arguments = arguments;
  return call;
}

struct Poll {
  pollfd* about;
  nfds_t count;
  int timeout_ms;
};
struct TimedPoll {
  pollfd* about;
  nfds_t count;
  const timespec* limit;
  const sigset_t* mask;
};
struct Select {
  int count;
  fd_set *in, *out, *exceptional;
  timeval* limit;
};
struct TimedSelect {
  int count;
  fd_set *in, *out, *exceptional;
  const timespec* limit;
  const sigset_t* mask;
};
struct EpollWait {
  epoll_event* events;
  int room;
  int timeout_ms;
  const timespec* limit;
  const sigset_t* mask;
};

// Of one descriptor that can be waited for: the ring's business. (A negative one is to be ignored, for all the time.)
void wait_by_ring(Call& call, const Poll& p) {
  if (p.count != 1 || !sys::readable(p.about) || p.about->fd < 0) return;
  call.family = Family::stream_in;
  call.fd = p.about->fd;
  call.events = static_cast<std::uint16_t>(p.about->events) | POLLERR | POLLHUP;
  call.timeout_ns = to_ns(p.timeout_ms);
  call.attempt = [](Call& c) {
    Result ready = sys::poll(static_cast<const Poll*>(c.arguments)->about, 1, 0);
    return ready ? ready : -EAGAIN;
  };
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int poll(pollfd* about, nfds_t count, int timeout_ms) {
  if (!waits(timeout_ms)) {
    int ready = real_poll(about, count, timeout_ms);
    path::count_in(0);
    return ready;
  }
  Poll what{about, count, timeout_ms};
  Call call = readiness(
      [](Call& c) {
        const auto& p = *static_cast<const Poll*>(c.arguments);
        return outcome(real_poll(p.about, p.count, p.timeout_ms));
      },
      &what);
  wait_by_ring(call, what);
  return static_cast<int>(deliver(path::run(call)));
}

int ppoll(pollfd* about, nfds_t count, const timespec* limit, const sigset_t* mask) {
  if (!path::concerns_us()) {
    int ready = real_ppoll(about, count, limit, mask);
    path::count_in(0);
    return ready;
  }
  TimedPoll what{about, count, limit, mask};
  Call call = readiness(
      [](Call& c) {
        const auto& p = *static_cast<const TimedPoll*>(c.arguments);
        return outcome(real_ppoll(p.about, p.count, p.limit, p.mask));
      },
      &what);
  return static_cast<int>(deliver(path::run(call)));
}

int select(int count, fd_set* in, fd_set* out, fd_set* exceptional, timeval* limit) {
  if (!path::concerns_us()) {
    int ready = real_select(count, in, out, exceptional, limit);
    path::count_in(0);
    return ready;
  }
  Select what{count, in, out, exceptional, limit};
  Call call = readiness(
      [](Call& c) {
        const auto& s = *static_cast<const Select*>(c.arguments);
        return outcome(real_select(s.count, s.in, s.out, s.exceptional, s.limit));
      },
      &what);
  return static_cast<int>(deliver(path::run(call)));
}

int pselect(int count, fd_set* in, fd_set* out, fd_set* exceptional, const timespec* limit, const sigset_t* mask) {
  if (!path::concerns_us()) {
    int ready = real_pselect(count, in, out, exceptional, limit, mask);
    path::count_in(0);
    return ready;
  }
  TimedSelect what{count, in, out, exceptional, limit, mask};
  Call call = readiness(
      [](Call& c) {
        const auto& s = *static_cast<const TimedSelect*>(c.arguments);
        return outcome(real_pselect(s.count, s.in, s.out, s.exceptional, s.limit, s.mask));
      },
      &what);
  return static_cast<int>(deliver(path::run(call)));
}

int epoll_wait(int fd, epoll_event* events, int room, int timeout_ms) {
  if (!waits(timeout_ms)) {
    int ready = real_epoll_wait(fd, events, room, timeout_ms);
    path::count_in(0);
    return ready;
  }
  EpollWait what{events, room, timeout_ms, nullptr, nullptr};
  Call call = readiness(
      [](Call& c) {
        const auto& e = *static_cast<const EpollWait*>(c.arguments);
        return outcome(real_epoll_wait(c.fd, e.events, e.room, e.timeout_ms));
      },
      &what);
  call.family = Family::stream_in;
  call.fd = fd;
  call.timeout_ns = to_ns(timeout_ms);
  call.attempt = [](Call& c) {
    const auto& e = *static_cast<const EpollWait*>(c.arguments);
    Result ready = sys::raw(SYS_epoll_wait, c.fd, sys::word(e.events), e.room, 0);
    return ready ? ready : -EAGAIN;
  };
  return static_cast<int>(deliver(path::run(call)));
}

int epoll_pwait(int fd, epoll_event* events, int room, int timeout_ms, const sigset_t* mask) {
  if (!mask) return epoll_wait(fd, events, room, timeout_ms);
  if (!waits(timeout_ms)) {
    int ready = real_epoll_pwait(fd, events, room, timeout_ms, mask);
    path::count_in(0);
    return ready;
  }
  EpollWait what{events, room, timeout_ms, nullptr, mask};
  Call call = readiness(
      [](Call& c) {
        const auto& e = *static_cast<const EpollWait*>(c.arguments);
        return outcome(real_epoll_pwait(c.fd, e.events, e.room, e.timeout_ms, e.mask));
      },
      &what);
  call.fd = fd;
  return static_cast<int>(deliver(path::run(call)));
}

int epoll_pwait2(int fd, epoll_event* events, int room, const timespec* limit, const sigset_t* mask) {
  if (!path::concerns_us()) {
    int ready = real_epoll_pwait2(fd, events, room, limit, mask);
    path::count_in(0);
    return ready;
  }
  EpollWait what{events, room, 0, limit, mask};
  Call call = readiness(
      [](Call& c) {
        const auto& e = *static_cast<const EpollWait*>(c.arguments);
        return outcome(real_epoll_pwait2(c.fd, e.events, e.room, e.limit, e.mask));
      },
      &what);
  call.fd = fd;
  return static_cast<int>(deliver(path::run(call)));
}

int __poll_chk(pollfd* about, nfds_t count, int timeout_ms, size_t room) {
  return count > room / sizeof *about ? real_poll_chk(about, count, timeout_ms, room) : poll(about, count, timeout_ms);
}

int __ppoll_chk(pollfd* about, nfds_t count, const timespec* limit, const sigset_t* mask, size_t room) {
  return count > room / sizeof *about ? real_ppoll_chk(about, count, limit, mask, room)
                                      : ppoll(about, count, limit, mask);
}

int __poll(pollfd*, nfds_t, int) __attribute__((alias("poll")));
int __select(int, fd_set*, fd_set*, fd_set*, timeval*) __attribute__((alias("select")));

}  // extern "C"
#pragma GCC visibility pop
