// SPDX-License-Identifier: Apache-2.0
#include "intercept/rest.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/time.h>

#include <algorithm>

#include "base/clock.h"
#include "base/disturbed.h"
#include "base/thread.h"
#include "sys/file.h"

namespace weir::intercept {
namespace {

// How long a call may wait: not at all, or a socket's time in all, or (a unix socket's send) that for each part anew.
struct Limit {
  std::int64_t ns = -1, began_ns = 0;
  bool anew = false;

  Limit(int fd, int name) {
    if (sys::status_flags(fd) & O_NONBLOCK) {
      ns = 0;
      return;
    }
    timeval limit{};
    socklen_t size = sizeof limit;
    if (failed(sys::getsockopt(fd, SOL_SOCKET, name, &limit, &size))) return;
    if (!limit.tv_sec && !limit.tv_usec) return;
    ns = limit.tv_sec * 1'000'000'000LL + limit.tv_usec * 1'000LL;
    began_ns = base::now_ns();
    anew = name == SO_SNDTIMEO && sys::socket_value(fd, SO_DOMAIN) == AF_UNIX;
  }
  // Of the next slice of the wait; 0: it is over.
  int next_ms() const {
    constexpr std::int64_t slice_ns = 20 * base::ns_per_ms;
    std::int64_t left_ns = ns < 0 ? slice_ns : std::clamp<std::int64_t>(began_ns + ns - base::now_ns(), 0, slice_ns);
    return static_cast<int>((left_ns + base::ns_per_ms - 1) / base::ns_per_ms);
  }
};

}  // namespace

bool ended(int fd, short events) {
  constexpr short ends = POLLERR | POLLHUP | POLLRDHUP;
  pollfd about{fd, static_cast<short>(events == POLLIN ? POLLRDHUP : 0), 0};
  if (sys::poll(&about, 1, 0) != 1 || !(about.revents & ends)) return false;
  if (!(about.revents & POLLERR)) return true;
  int domain = sys::socket_value(fd, SO_DOMAIN);
  if (domain == AF_UNIX) sys::socket_value(fd, SO_ERROR);
  // There it may be a notice of something sent, too; one that is reset has hung up.
  bool internet = domain == AF_INET || domain == AF_INET6;
  return !internet || (about.revents & (POLLHUP | POLLRDHUP));
}

// A call that blocks for the rest would use up a reset that is the next one's, and be restarted after a handler. A poll is
// not; and a handler that runs between two polls ends the call as well. A poll ends now and then: it does not see that a
// unix socket's peer reads no more. Where it says ready and nothing can be moved (the kernel is short of memory), a nap is
// taken.
Result attempt_until_over(path::Call& call, short events) {
  Limit limit(call.fd, events == POLLOUT ? SO_SNDTIMEO : SO_RCVTIMEO);
  pollfd about{call.fd, events, 0};
  std::uint32_t handlers_run = base::self().handlers_run;
  while (true) {
    std::uint64_t before = call.moved;
    Result moved = call.attempt(call);
    if (moved != -EAGAIN) return moved;
    bool more = call.moved > before;
    if (more && limit.anew) limit.began_ns = base::now_ns();
    int next_ms = limit.next_ms();
    if (!next_ms) break;
    bool nap = about.revents && !more;
    about.revents = 0;
    const base::Disturbed disturbed;
    bool interrupted = sys::poll(&about, nap ? 0 : 1, nap ? 1 : next_ms) == -EINTR && !disturbed.by_us();
    if (interrupted || base::self().handlers_run != handlers_run) break;
  }
  return static_cast<Result>(call.moved);
}

}  // namespace weir::intercept
