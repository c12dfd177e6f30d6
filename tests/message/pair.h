// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "weir/message.h"

// Two ends of a TCP connection over loopback.
struct Connection {
  int ends[2] = {-1, -1};
  Connection() {
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    auto* name = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener, name, bytes) || listen(listener, 1) || getsockname(listener, name, &bytes)) abort();
    ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(ends[0], name, bytes)) abort();
    ends[1] = accept(listener, nullptr, nullptr);
    close(listener);
  }
  ~Connection() {
    for (int end : ends)
      if (end >= 0) close(end);
  }
  void close_end(int which) { close(ends[which]), ends[which] = -1; }
};

// Links at both of its ends.
struct Pair : Connection {
  weir_link* links[2] = {nullptr, nullptr};
  explicit Pair(std::int64_t silence_ns = 0) {
    weir_link_options options{sizeof options, silence_ns};
    for (int i = 0; i < 2; ++i)
      if (weir_link_open(&links[i], ends[i], &options)) abort();
  }
  ~Pair() {
    close_link(0);
    close_link(1);
  }
  void close_link(int which) {
    weir_link_close(links[which]);
    links[which] = nullptr;
  }
};

inline bool differ(const void* a, const void* b, std::size_t bytes) { return bytes && std::memcmp(a, b, bytes) != 0; }

// A message whose every word says where it belongs.
inline std::vector<std::uint64_t> pattern(std::size_t bytes, std::uint64_t seed) {
  std::vector<std::uint64_t> words((bytes + 7) / 8);
  std::uint64_t x = seed * 2654435761u + 1;
  for (auto& word : words) word = x = x * 6364136223846793005u + 1442695040888963407u;
  return words;
}
