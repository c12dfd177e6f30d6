// SPDX-License-Identifier: Apache-2.0
#include "path/low_water.h"

#include <poll.h>
#include <sys/socket.h>

#include <atomic>

#include "path/call.h"
#include "sys/file.h"

namespace weir::path {
namespace {

// unasked --who execed us left some, or none--> some | none;  none --set, or given--> some
enum State : int { unasked, none, some };
constinit std::atomic<int> state{unasked};

bool has_low_water(int fd) {
  int bytes = 1;
  socklen_t size = sizeof bytes;
  return !failed(sys::getsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, &size)) && bytes > 1;
}

// Numbers that were there before the program began are low. Which of them are, one call tells.
int look_at_inherited() {
  constexpr int most = 256;
  pollfd numbers[most];
  for (int fd = 0; fd < most; ++fd) numbers[fd] = {fd, 0, 0};
  bool told = !failed(sys::poll(numbers, most, 0)), any = false;
  for (int fd = 0; fd < most && !any; ++fd) any = !(told && numbers[fd].revents & POLLNVAL) && has_low_water(fd);
  int before = unasked;
  return state.compare_exchange_strong(before, any ? some : none) ? (any ? some : none) : before;
}

}  // namespace

bool waits_for_low_water(const Call& call) {
  if (call.direction != Direction::in) return false;
  int now = state.load(std::memory_order_relaxed);
  if (now == none) [[likely]] return false;
  if (now == unasked && look_at_inherited() == none) return false;
  return has_low_water(call.fd);
}

void low_water_may_be_set() { state.store(some); }

void sockets_came(const msghdr& message) {
  if (message.msg_controllen < sizeof(cmsghdr)) [[likely]] return;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(const_cast<msghdr*>(&message), part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const int* numbers = reinterpret_cast<const int*>(CMSG_DATA(part));
    for (std::size_t i = 0; i < (part->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
      if (has_low_water(numbers[i])) state.store(some);
    }
  }
}

}  // namespace weir::path
