// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

// The other side of the exchange: a child process that takes a message of `bytes`, lets `delay_us` pass (the
// wire), and sends each word of it back plus one. A thread a connection. It ends when it is stopped.
struct Peer {
  pid_t process;
  std::uint16_t port;
};

// Call it before the first thread is started. Ends the program when it cannot.
Peer start_peer(std::size_t bytes, long delay_us);
void stop_peer(const Peer& peer);

// All of `bytes`, or the end of the program.
void send_whole(int fd, const void* data, std::size_t bytes);
// False when the other side has closed before the first byte.
bool receive_whole(int fd, void* into, std::size_t bytes);
