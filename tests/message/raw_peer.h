// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include "pair.h"

// A peer that speaks the wire format by itself, as docs/messages.md has it, and may break every rule of it.
struct RawPeer : Connection {
  weir_link* link = nullptr;  // at end 0
  explicit RawPeer(std::int64_t silence_ns = 0) {
    weir_link_options options{sizeof options, silence_ns};
    if (weir_link_open(&link, ends[0], &options)) abort();
  }
  ~RawPeer() {
    if (ends[1] >= 0) close_end(1);
    weir_link_close(link);
  }

  enum Kind : unsigned char { hello = 1, data, grant, credit, refuse, abort_, ping, pong };
  static constexpr std::uint64_t magic = 0x32676d2d72696577;

  static std::string frame(unsigned kind, bool last, std::uint32_t bytes, std::uint64_t sequence, std::uint64_t value) {
    std::string text(24, '\0');
    text[0] = static_cast<char>(kind);
    text[1] = last;
    text[2] = 'W', text[3] = 'M';
    std::memcpy(&text[4], &bytes, 4);
    std::memcpy(&text[8], &sequence, 8);
    std::memcpy(&text[16], &value, 8);
    return text;
  }
  static std::string greeting() { return frame(hello, false, 0, magic, 1); }
  static std::string piece(std::uint64_t sequence, std::uint64_t offset, const std::string& payload, bool last) {
    return frame(data, last, static_cast<std::uint32_t>(payload.size()), sequence, offset) + payload;
  }

  // False: the link has shut the connection.
  bool say(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      ssize_t n = send(ends[1], text.data() + at, text.size() - at, MSG_NOSIGNAL);
      if (n < 0) return false;
      at += static_cast<std::size_t>(n);
    }
    return true;
  }
  // Exactly so much of what the link says, or what there was before it stopped.
  std::string hear(std::size_t bytes) {
    std::string text(bytes, '\0');
    ssize_t n = recv(ends[1], text.data(), bytes, MSG_WAITALL);
    text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
    return text;
  }
};
