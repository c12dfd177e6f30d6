// SPDX-License-Identifier: Apache-2.0
#include "overlap/peer.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include <thread>
#include <vector>

#include "kit/die.h"
#include "kit/loopback.h"

namespace {

void answer(int connection, std::size_t bytes, long delay_us) {
  std::vector<std::uint64_t> message(bytes / 8);
  while (receive_whole(connection, message.data(), bytes)) {
    timespec wire{delay_us / 1'000'000, delay_us % 1'000'000 * 1000};
    while (nanosleep(&wire, &wire) && errno == EINTR) {
    }
    for (std::uint64_t& word : message) ++word;
    send_whole(connection, message.data(), bytes);
  }
  close(connection);
}

[[noreturn]] void serve(int listener, std::size_t bytes, long delay_us) {
  for (;;) {
    const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) kit::die("peer: accept");
    kit::no_delay(connection);
    std::thread(answer, connection, bytes, delay_us).detach();
  }
}

}  // namespace

Peer start_peer(std::size_t bytes, long delay_us) {
  const auto [listener, port] = kit::listen_on(0);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0) kit::die("fork");
  if (process == 0) {
    // It must not outlive a program that is killed.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent) _exit(1);
    serve(listener, bytes, delay_us);
  }
  close(listener);
  return {process, port};
}

void stop_peer(const Peer& peer) {
  kill(peer.process, SIGKILL);
  while (waitpid(peer.process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void send_whole(int fd, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = send(fd, at, bytes, MSG_NOSIGNAL);
    if (n < 0) kit::die("send");
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
}

bool receive_whole(int fd, void* into, std::size_t bytes) {
  auto* at = static_cast<char*>(into);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = recv(fd, at + done, bytes - done, 0);
    if (n < 0) kit::die("recv");
    if (n == 0 && done == 0) return false;
    if (n == 0) kit::wrong("a message broke off");
    done += static_cast<std::size_t>(n);
  }
  return true;
}
