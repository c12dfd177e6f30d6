// SPDX-License-Identifier: Apache-2.0
#include "wire.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int piece_bytes = 8192;

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// One direction. Small buffers in the kernel: what is under way is what the wire holds.
struct Direction {
  int from, to;
  double free_at = 0;  // when the piece before has left
  bool open = true;
};

bool pass_on(Direction& way, double seconds_a_byte) {
  char piece[piece_bytes];
  ssize_t got = recv(way.from, piece, sizeof piece, MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return shutdown(way.to, SHUT_WR), false;
  for (ssize_t at = 0; at < got;) {
    ssize_t sent = send(way.to, piece + at, static_cast<std::size_t>(got - at), MSG_NOSIGNAL);
    if (sent < 0) return shutdown(way.from, SHUT_RDWR), false;
    at += sent;
  }
  way.free_at = std::max(way.free_at, now()) + static_cast<double>(got) * seconds_a_byte;
  return true;
}

[[noreturn]] void be_the_wire(int a, int b, double seconds_a_byte) {
  Direction ways[2] = {{a, b}, {b, a}};
  prctl(PR_SET_TIMERSLACK, 1);
  while (ways[0].open || ways[1].open) {
    double time = now(), next = -1;
    pollfd wanted[2];
    for (int i = 0; i < 2; ++i) {
      bool busy = time < ways[i].free_at;
      wanted[i] = {ways[i].open && !busy ? ways[i].from : -1, POLLIN, 0};
      if (ways[i].open && busy) next = next < 0 ? ways[i].free_at : std::min(next, ways[i].free_at);
    }
    timespec limit{0, std::max(1L, static_cast<long>((next - time) * 1e9))};
    ppoll(wanted, 2, next < 0 ? nullptr : &limit, nullptr);
    for (int i = 0; i < 2; ++i)
      if (wanted[i].fd >= 0 && wanted[i].revents) ways[i].open = pass_on(ways[i], seconds_a_byte);
  }
  _exit(0);
}

// A connected pair over loopback; near: for the wire, with small buffers.
void connect_pair(int* near, int* far) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 64 * 1024, on = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  auto* name = reinterpret_cast<sockaddr*>(&address);
  setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  if (bind(listener, name, bytes) || listen(listener, 1) || getsockname(listener, name, &bytes)) die("listen");
  *far = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(*far, SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  if (connect(*far, name, bytes)) die("connect");
  *near = accept(listener, nullptr, nullptr);
  if (*near < 0) die("accept");
  close(listener);
  for (int fd : {*near, *far}) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

Wire lay_wire(std::int64_t bytes_per_second) {
  Wire wire{};
  int near[2];
  for (int i = 0; i < 2; ++i) connect_pair(&near[i], &wire.ends[i]);
  pid_t parent = getpid();
  wire.process = fork();
  if (wire.process < 0) die("fork");
  if (wire.process == 0) {
    for (int end : wire.ends) close(end);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent) _exit(1);
    be_the_wire(near[0], near[1], 1.0 / static_cast<double>(bytes_per_second));
  }
  for (int end : near) close(end);
  return wire;
}

void take_up_wire(const Wire& wire) {
  while (waitpid(wire.process, nullptr, 0) < 0 && errno == EINTR) {
  }
}
