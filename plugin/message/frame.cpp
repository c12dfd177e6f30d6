// SPDX-License-Identifier: Apache-2.0
#include "message/frame.h"

namespace weir::message {
namespace {

void put(unsigned char* to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to[i] = static_cast<unsigned char>(value >> (8 * i));
}

std::uint64_t get(const unsigned char* from, int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value |= static_cast<std::uint64_t>(from[i]) << (8 * i);
  return value;
}

}  // namespace

void encode(const Frame& frame, unsigned char* to) {
  to[0] = static_cast<unsigned char>(frame.kind);
  to[1] = frame.last;
  to[2] = 'W';
  to[3] = 'M';
  put(to + 4, frame.bytes, 4);
  put(to + 8, frame.sequence, 8);
  put(to + 16, frame.value, 8);
}

bool decode(const unsigned char* from, Frame* frame) {
  if (from[0] < static_cast<unsigned char>(Kind::hello) || from[0] > static_cast<unsigned char>(Kind::pong)) return false;
  frame->kind = static_cast<Kind>(from[0]);
  frame->last = from[1];
  frame->bytes = static_cast<std::uint32_t>(get(from + 4, 4));
  frame->sequence = get(from + 8, 8);
  frame->value = get(from + 16, 8);
  if (from[1] > 1 || from[2] != 'W' || from[3] != 'M') return false;
  switch (frame->kind) {
    case Kind::data: return frame->bytes <= most_payload && (frame->bytes > 0 || frame->last);
    case Kind::hello: return frame->bytes == 0 && !frame->last && frame->sequence == magic && frame->value == version;
    case Kind::grant: return frame->bytes == 0;
    case Kind::credit: return frame->bytes == 0 && !frame->last && frame->value > 0 && frame->value <= most_payload;
    case Kind::refuse:
    case Kind::abort:
      return frame->bytes == 0 && !frame->last && frame->value > 0 && frame->value <= most_errno;
    case Kind::ping:
    case Kind::pong: return frame->bytes == 0 && !frame->last;
  }
  return false;
}

}  // namespace weir::message
