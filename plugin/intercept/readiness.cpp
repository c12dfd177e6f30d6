// SPDX-License-Identifier: Apache-2.0
// poll, select, epoll_wait. One descriptor, the ring can wait for; of several, or with a signal mask that must change
// together with the wait, only a thread can.
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "intercept/errno_edge.h"
#include "intercept/real.h"
#include "intercept/slices.h"
#include "intercept/undisturbed.h"
#include "intercept/waiting.h"
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

int waited(const Poll& p) {
  const base::Left left(p.timeout_ms > 0);
  return undisturbed([&](bool again) { return real_poll(p.about, p.count, again ? left.of_ms(p.timeout_ms) : p.timeout_ms); });
}
int waited(const TimedPoll& p) {
  return undisturbed_within(p.limit, [&](const timespec* limit) { return real_ppoll(p.about, p.count, limit, p.mask); });
}
int waited(const Select& s) {  // which says itself what is left
  return undisturbed([&](bool) { return real_select(s.count, s.in, s.out, s.exceptional, s.limit); });
}
int waited(const TimedSelect& s) {
  return undisturbed_within(
      s.limit, [&](const timespec* limit) { return real_pselect(s.count, s.in, s.out, s.exceptional, limit, s.mask); });
}
int waited(int fd, const EpollWait& e) {
  const base::Left left(e.timeout_ms > 0);
  return undisturbed(
      [&](bool again) { return real_epoll_wait(fd, e.events, e.room, again ? left.of_ms(e.timeout_ms) : e.timeout_ms); });
}
int waited_masked(int fd, const EpollWait& e) {
  const base::Left left(e.timeout_ms > 0);
  return undisturbed(
      [&](bool again) { return real_epoll_pwait(fd, e.events, e.room, again ? left.of_ms(e.timeout_ms) : e.timeout_ms, e.mask); });
}
int waited_within(int fd, const EpollWait& e) {
  return undisturbed_within(e.limit, [&](const timespec* limit) { return real_epoll_pwait2(fd, e.events, e.room, limit, e.mask); });
}

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

// What is waited for may be done by a task that was set aside and goes on on this very thread: then the wait is cut into slices.
// `ask(ns)` waits so long at most; without a limit `limit_ns` < 0.
template <typename Ask>
int by_slices(std::int64_t limit_ns, meter::Caller caller, Ask ask) {
  constexpr bool for_any = true;  // of the handlers
  const std::int64_t since = base::now_ns();
  std::int64_t end = limit_ns < 0 ? std::numeric_limits<std::int64_t>::max() : since + limit_ns;
  int before = current_errno();
  Handlers handlers;
  while (true) {
    std::int64_t left = end - base::now_ns();
    bool last = left <= slice_ns;
    int ready = parked_with_errno([&] { return ask(last ? std::max<std::int64_t>(left, 0) : slice_ns); }, caller);
    if (ready == 0 && last) path::waited_in_row(since);
    if (ready > 0 || (ready == 0 && last)) {
      set_errno(before);  // not that of an earlier slice
      return ready;
    }
    if (ready < 0 && (current_errno() != EINTR || handlers.end_wait(for_any))) return ready;
    path::stand_back_in_row(since);
    if (!handlers.end_wait(for_any)) continue;
    set_errno(EINTR);
    return -1;
  }
}

int to_ms(std::int64_t ns) { return static_cast<int>((ns + base::ns_per_ms - 1) / base::ns_per_ms); }
timespec to_timespec(std::int64_t ns) { return {static_cast<time_t>(ns / base::ns_per_s), static_cast<long>(ns % base::ns_per_s)}; }

int poll_by_slices(pollfd* about, nfds_t count, std::int64_t limit_ns, const sigset_t* mask, meter::Caller caller) {
  return by_slices(limit_ns, caller, [=](std::int64_t ns) {
    timespec slice = to_timespec(ns);
    return real_ppoll(about, count, &slice, mask);
  });
}

// As the kernel has them: whole words of 64 bits.
std::size_t bytes_of_sets(const Select& s) { return (static_cast<std::size_t>(s.count) + 63) / 64 * 8; }

// A wait that is over in vain leaves its sets empty.
int select_by_slices(const Select& s, std::int64_t limit_ns, const sigset_t* mask, meter::Caller caller) {
  fd_set* sets[] = {s.in, s.out, s.exceptional};
  fd_set wanted[3];
  const std::size_t bytes = bytes_of_sets(s);
  for (int i = 0; i < 3; ++i)
    if (sets[i]) std::memcpy(&wanted[i], sets[i], bytes);
  return by_slices(limit_ns, caller, [&](std::int64_t ns) {
    for (int i = 0; i < 3; ++i)
      if (sets[i]) std::memcpy(sets[i], &wanted[i], bytes);
    timespec slice = to_timespec(ns);
    return real_pselect(s.count, s.in, s.out, s.exceptional, &slice, mask);
  });
}

// As Linux has it, what is left of the limit is told.
int select_by_slices(const Select& s, meter::Caller caller) {
  std::int64_t limit_ns = s.limit ? s.limit->tv_sec * base::ns_per_s + s.limit->tv_usec * 1'000LL : -1;
  std::int64_t began = base::now_ns();
  int ready = select_by_slices(s, limit_ns, nullptr, caller);
  if (s.limit) {
    std::int64_t left = std::max<std::int64_t>(0, began + limit_ns - base::now_ns());
    *s.limit = {static_cast<time_t>(left / base::ns_per_s), static_cast<suseconds_t>(left % base::ns_per_s / 1'000)};
  }
  return ready;
}

bool may_be_sliced(const Select& s) {
  if (s.count < 0 || s.count > FD_SETSIZE || (s.limit && !sys::readable(s.limit))) return false;
  bool a_time = !s.limit || (s.limit->tv_sec >= 0 && s.limit->tv_sec < 1'000'000'000 && s.limit->tv_usec >= 0 && s.limit->tv_usec < 1'000'000);
  for (const fd_set* set : {s.in, s.out, s.exceptional})
    if (set && !sys::readable(reinterpret_cast<std::uintptr_t>(set), bytes_of_sets(s))) return false;
  return a_time;
}

// What the mask lets in and the thread does not is there in the next slice. What it keeps off the thread has to keep off, too:
// it would come between two.
bool lets_in_no_less(const sigset_t* mask) {
  constexpr std::size_t bytes = sizeof(std::uint64_t);  // as the kernel has it
  if (!sys::readable(reinterpret_cast<std::uintptr_t>(mask), bytes)) return false;
  std::uint64_t here = 0, there;
  std::memcpy(&there, mask, bytes);
  sys::raw(SYS_rt_sigprocmask, SIG_BLOCK, 0, sys::word(&here), bytes);
  return !(there & ~here);
}

bool may_be_sliced(const timespec* limit, const sigset_t* mask, std::int64_t* limit_ns) {
  if (limit && (!sys::readable(limit) || !is_limit(*limit))) return false;
  *limit_ns = limit ? ns_of(*limit) : -1;
  return !mask || lets_in_no_less(mask);
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int poll(pollfd* about, nfds_t count, int timeout_ms) {
  if (!waits(timeout_ms)) {
    int ready = waited(Poll{about, count, timeout_ms});
    path::count_in(0);
    return ready;
  }
  Poll what{about, count, timeout_ms};
  Call call = readiness(
      [](Call& c) {
        return outcome(waited(*static_cast<const Poll*>(c.arguments)));
      },
      &what);
  wait_by_ring(call, what);
  if (call.fd < 0 && others_may_be_waited_for(__builtin_return_address(0)))
    return poll_by_slices(about, count, to_ns(timeout_ms), nullptr, {"poll", __builtin_return_address(0)});
  return static_cast<int>(deliver(path::run(call)));
}

int ppoll(pollfd* about, nfds_t count, const timespec* limit, const sigset_t* mask) {
  if (!path::concerns_us()) {
    int ready = waited(TimedPoll{about, count, limit, mask});
    path::count_in(0);
    return ready;
  }
  if (!mask && !limit) return poll(about, count, -1);
  if (std::int64_t ns; others_may_be_waited_for(__builtin_return_address(0)) && may_be_sliced(limit, mask, &ns))
    return poll_by_slices(about, count, ns, mask, {"ppoll", __builtin_return_address(0)});
  TimedPoll what{about, count, limit, mask};
  Call call = readiness(
      [](Call& c) {
        return outcome(waited(*static_cast<const TimedPoll*>(c.arguments)));
      },
      &what);
  return static_cast<int>(deliver(path::run(call)));
}

int select(int count, fd_set* in, fd_set* out, fd_set* exceptional, timeval* limit) {
  if (!path::concerns_us()) {
    int ready = waited(Select{count, in, out, exceptional, limit});
    path::count_in(0);
    return ready;
  }
  Select what{count, in, out, exceptional, limit};
  if (others_may_be_waited_for(__builtin_return_address(0)) && may_be_sliced(what))
    return select_by_slices(what, {"select", __builtin_return_address(0)});
  Call call = readiness(
      [](Call& c) {
        return outcome(waited(*static_cast<const Select*>(c.arguments)));
      },
      &what);
  return static_cast<int>(deliver(path::run(call)));
}

int pselect(int count, fd_set* in, fd_set* out, fd_set* exceptional, const timespec* limit, const sigset_t* mask) {
  if (!path::concerns_us()) {
    int ready = waited(TimedSelect{count, in, out, exceptional, limit, mask});
    path::count_in(0);
    return ready;
  }
  if (!mask && !limit) return select(count, in, out, exceptional, nullptr);
  if (others_may_be_waited_for(__builtin_return_address(0))) {
    Select sets{count, in, out, exceptional, nullptr};
    std::int64_t ns;
    if (may_be_sliced(sets) && may_be_sliced(limit, mask, &ns))
      return select_by_slices(sets, ns, mask, {"pselect", __builtin_return_address(0)});
  }
  TimedSelect what{count, in, out, exceptional, limit, mask};
  Call call = readiness(
      [](Call& c) {
        return outcome(waited(*static_cast<const TimedSelect*>(c.arguments)));
      },
      &what);
  return static_cast<int>(deliver(path::run(call)));
}

int epoll_wait(int fd, epoll_event* events, int room, int timeout_ms) {
  if (!waits(timeout_ms)) {
    int ready = waited(fd, EpollWait{events, room, timeout_ms, nullptr, nullptr});
    path::count_in(0);
    return ready;
  }
  EpollWait what{events, room, timeout_ms, nullptr, nullptr};
  Call call = readiness(
      [](Call& c) {
        return outcome(waited(c.fd, *static_cast<const EpollWait*>(c.arguments)));
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
    int ready = waited_masked(fd, {events, room, timeout_ms, nullptr, mask});
    path::count_in(0);
    return ready;
  }
  if (std::int64_t ns; others_may_be_waited_for(__builtin_return_address(0)) && may_be_sliced(nullptr, mask, &ns)) {
    return by_slices(to_ns(timeout_ms), {"epoll_pwait", __builtin_return_address(0)}, [=](std::int64_t slice) {
      return real_epoll_pwait(fd, events, room, to_ms(slice), mask);
    });
  }
  EpollWait what{events, room, timeout_ms, nullptr, mask};
  Call call = readiness(
      [](Call& c) {
        return outcome(waited_masked(c.fd, *static_cast<const EpollWait*>(c.arguments)));
      },
      &what);
  call.fd = fd;
  return static_cast<int>(deliver(path::run(call)));
}

int epoll_pwait2(int fd, epoll_event* events, int room, const timespec* limit, const sigset_t* mask) {
  if (!path::concerns_us()) {
    int ready = waited_within(fd, {events, room, 0, limit, mask});
    path::count_in(0);
    return ready;
  }
  if (!mask && !limit) return epoll_wait(fd, events, room, -1);
  if (std::int64_t ns; others_may_be_waited_for(__builtin_return_address(0)) && may_be_sliced(limit, mask, &ns)) {
    return by_slices(ns, {"epoll_pwait2", __builtin_return_address(0)}, [=](std::int64_t slice_of_it) {
      timespec slice = to_timespec(slice_of_it);
      return real_epoll_pwait2(fd, events, room, &slice, mask);
    });
  }
  EpollWait what{events, room, 0, limit, mask};
  Call call = readiness(
      [](Call& c) {
        return outcome(waited_within(c.fd, *static_cast<const EpollWait*>(c.arguments)));
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
