// SPDX-License-Identifier: Apache-2.0
#include "slowsockets/server.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <queue>
#include <vector>

#include "kit/checksum.h"
#include "kit/die.h"
#include "kit/loopback.h"
#include "kit/result.h"

namespace {

struct Pending {
  double due;
  int connection;
  std::uint64_t key;
  bool operator>(const Pending& other) const { return due > other.due; }
};
using Queue = std::priority_queue<Pending, std::vector<Pending>, std::greater<>>;

void take_connections(int listener, int poll) {
  for (;;) {
    const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0) {
      if (errno == EAGAIN || errno == ECONNABORTED) return;
      kit::die("server: accept");
    }
    epoll_event event{EPOLLIN, {.fd = connection}};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, connection, &event)) kit::die("server: epoll_ctl");
  }
}

// A request is smaller than any segment: it comes whole or the client is gone.
void take_request(int poll, int connection, Queue& queue) {
  Request request;
  const ssize_t got = recv(connection, &request, sizeof request, 0);
  if (got < 0 && errno == EAGAIN) return;
  if (got != sizeof request) {
    close(connection);
    return;
  }
  epoll_ctl(poll, EPOLL_CTL_DEL, connection, nullptr);
  queue.push({kit::now() + static_cast<double>(request.delay_us) * 1e-6, connection, request.key});
}

void answer_due(Queue& queue) {
  while (!queue.empty() && queue.top().due <= kit::now()) {
    const Answer answer = answer_to(queue.top().key);
    send(queue.top().connection, &answer, sizeof answer, MSG_NOSIGNAL);
    close(queue.top().connection);
    queue.pop();
  }
}

[[noreturn]] void serve(int listener) {
  const int poll = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{EPOLLIN, {.fd = listener}};
  if (poll < 0 || epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event)) kit::die("server: epoll");
  Queue queue;
  for (;;) {
    timespec left{3600, 0};
    if (!queue.empty()) {
      const double seconds = std::max(0.0, queue.top().due - kit::now());
      left.tv_sec = static_cast<time_t>(seconds);
      left.tv_nsec = static_cast<long>((seconds - static_cast<double>(left.tv_sec)) * 1e9);
    }
    epoll_event ready[256];
    const int count = epoll_pwait2(poll, ready, 256, &left, nullptr);
    for (int i = 0; i < count; ++i) {
      if (ready[i].data.fd == listener) {
        take_connections(listener, poll);
      } else {
        take_request(poll, ready[i].data.fd, queue);
      }
    }
    answer_due(queue);
  }
}

}  // namespace

Answer answer_to(std::uint64_t key) {
  Answer answer;
  for (std::uint64_t i = 0; i < 8; ++i) answer.words[i] = kit::item(i, key);
  return answer;
}

Server start_server() {
  const auto [listener, port] = kit::listen_on(0, SOCK_NONBLOCK);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0) kit::die("fork");
  if (process == 0) {
    // It must not outlive a client that is killed.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent) _exit(1);
    serve(listener);
  }
  close(listener);
  return {process, port};
}

void stop_server(const Server& server) {
  kill(server.process, SIGKILL);
  while (waitpid(server.process, nullptr, 0) < 0 && errno == EINTR) {
  }
}
