// SPDX-License-Identifier: Apache-2.0
// An echo server by hand: one thread, io_uring, one submission and wait a turn.
#include <liburing.h>

#include <cstdio>
#include <memory>

#include "kit/arguments.h"
#include "kit/die.h"
#include "kit/loopback.h"
#include "kit/result.h"

namespace {

// A connection has one operation under way: a recv, or the send of what it received.
struct Connection {
  int fd;
  bool sending = false;
  unsigned char buffer[4096];
};

class Server {
 public:
  Server(int listener, std::int64_t connections)
      : listener_(listener), to_accept_(connections), left_(connections) {
    io_uring_params params{};
    params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
    int error = io_uring_queue_init_params(4096, &ring_, &params);
    if (error < 0) {
      params = {};
      error = io_uring_queue_init_params(4096, &ring_, &params);
    }
    if (error < 0) {
      errno = -error;
      kit::die("io_uring_setup");
    }
  }
  ~Server() { io_uring_queue_exit(&ring_); }

  void run() {
    accept();
    while (left_ > 0) {
      io_uring_submit_and_wait(&ring_, 1);
      io_uring_cqe* done;
      unsigned head, seen = 0;
      io_uring_for_each_cqe(&ring_, head, done) {
        ++seen;
        auto* connection = static_cast<Connection*>(io_uring_cqe_get_data(done));
        if (connection == nullptr) {
          accepted(done->res);
        } else {
          moved(connection, done->res);
        }
      }
      io_uring_cq_advance(&ring_, seen);
    }
  }

  std::uint64_t bytes = 0, sum = 0;

 private:
  io_uring_sqe* operation() {
    io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
    if (sqe == nullptr) {
      io_uring_submit(&ring_);
      sqe = io_uring_get_sqe(&ring_);
    }
    return sqe;
  }
  void accept() {
    io_uring_sqe* sqe = operation();
    io_uring_prep_accept(sqe, listener_, nullptr, nullptr, SOCK_CLOEXEC);
    io_uring_sqe_set_data(sqe, nullptr);
  }
  void accepted(int fd) {
    if (fd < 0) {
      errno = -fd;
      kit::die("accept");
    }
    kit::no_delay(fd);
    receive(new Connection{.fd = fd, .buffer = {}});
    if (--to_accept_ > 0) accept();
  }
  void receive(Connection* connection) {
    connection->sending = false;
    io_uring_sqe* sqe = operation();
    io_uring_prep_recv(sqe, connection->fd, connection->buffer, sizeof connection->buffer, 0);
    io_uring_sqe_set_data(sqe, connection);
  }
  void moved(Connection* connection, int got) {
    if (connection->sending) return receive(connection);
    if (got <= 0) {
      close(connection->fd);
      delete connection;
      --left_;
      return;
    }
    for (int i = 0; i < got; ++i) sum += connection->buffer[i];
    bytes += static_cast<std::uint64_t>(got);
    connection->sending = true;
    io_uring_sqe* sqe = operation();
    io_uring_prep_send(sqe, connection->fd, connection->buffer, static_cast<std::size_t>(got),
                       MSG_NOSIGNAL | MSG_WAITALL);
    io_uring_sqe_set_data(sqe, connection);
  }

  io_uring ring_;
  int listener_;
  std::int64_t to_accept_, left_;
};

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(argc, argv, "[--connections=64]");
  const std::int64_t connections = arguments.number("connections", 64);
  arguments.finish();
  kit::allow_many_files();
  const kit::Listener listener = kit::listen_on(0);
  Server server(listener.fd, connections);
  std::printf("port=%u\n", listener.port);
  std::fflush(stdout);
  const double began = kit::now();
  server.run();
  kit::print_result(server.sum, kit::now() - began, server.bytes);
  return 0;
}
