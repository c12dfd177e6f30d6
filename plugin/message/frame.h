// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::message {

// What travels: a header of 24 bytes, little-endian, and in a data frame up to 64 KiB after it.
//
//   0 kind  1 flags (bit 0: last)  2 'W' 'M'  4 bytes (32 bits)  8 sequence (64)  16 value (64)
enum class Kind : std::uint8_t {
  hello = 1,  // first, once: sequence = magic, value = version
  data,       // `bytes` of message `sequence` from offset `value` on; last: its end
  grant,      // the receiver asks for message `sequence`: up to `value` bytes of it; last: there will be no credit
  credit,     // `value` bytes more
  refuse,     // the receiver wants no more of it; value: its errno
  abort,      // the sender ends it early; value: its errno
  ping,       // are you there?
  pong,       // yes
};

struct Frame {
  Kind kind;
  bool last;
  std::uint32_t bytes;
  std::uint64_t sequence;
  std::uint64_t value;
};

constexpr std::size_t header_bytes = 24;
constexpr std::uint32_t most_payload = 64 * 1024;
constexpr std::uint64_t magic = 0x32676d2d72696577;  // "weir-mg2"
constexpr std::uint64_t version = 1;

// A message of at most so many bytes may go before it was asked for; of those at most so many at a time.
constexpr std::uint64_t eager_bytes = 4096;
constexpr std::uint64_t eager_messages = 16;
// So far ahead of the oldest message that is not over may a receiver ask.
constexpr std::uint64_t grants_ahead = 240;
constexpr int most_errno = 4095;

void encode(const Frame& frame, unsigned char* to);

// False: nothing that encode() makes of a valid frame. What a valid frame may say at this moment is the link's business.
bool decode(const unsigned char* from, Frame* frame);

}  // namespace weir::message
