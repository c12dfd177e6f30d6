// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

// What a client sends, and what comes back after the delay.
struct Request {
  std::uint64_t key;
  std::uint64_t delay_us;
};
struct Answer {
  std::uint64_t words[8];
};

// The answer to `key`: client and server both know it, so that a client sees a mix-up.
Answer answer_to(std::uint64_t key);

struct Server {
  pid_t process;
  std::uint16_t port;
};

// Starts a server on a free loopback port, in a child process; one thread, all connections at once. Call it
// before the first thread is started. Ends the program when it cannot.
Server start_server();
void stop_server(const Server& server);
