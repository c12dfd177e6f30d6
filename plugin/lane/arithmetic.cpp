// SPDX-License-Identifier: Apache-2.0
#include "lane/arithmetic.h"

#include "lane/instruction.h"

namespace weir::lane {

bool rounds(const std::uint8_t* at, const std::uint8_t* end) {
  Operands o = read_operands(at, end);
  if (!o.length) return false;
  if (o.map == 1) return o.opcode == 0x58 || o.opcode == 0x59 || o.opcode == 0x5c || o.opcode == 0x5e;
  if (o.map == 2) return o.vector && o.opcode >= 0x96 && o.opcode <= 0xbf;  // both: multiplies and adds
  // Of the old unit: all but those that compare.
  bool old = !o.vector && o.map == 0 && (o.opcode == 0xd8 || o.opcode == 0xdc || o.opcode == 0xde);
  return old && (o.first & 7) != 2 && (o.first & 7) != 3;
}

bool adds_numbers(const std::uint8_t* at, const std::uint8_t* end) {
  Operands o = read_operands(at, end);
  bool old = o.length && !o.vector && o.map == 0 && (o.opcode == 0xd8 || o.opcode == 0xdc || o.opcode == 0xde);
  return rounds(at, end) && (old || o.map == 2 || o.opcode == 0x58 || o.opcode == 0x5c);
}

bool approximates(const std::uint8_t* at, const std::uint8_t* end) {
  Operands o = read_operands(at, end);
  return o.length && ((o.map == 1 && (o.opcode == 0x52 || o.opcode == 0x53)) || (o.map == 2 && o.vector && o.opcode >= 0x4c && o.opcode <= 0x4f));
}

namespace {

// One number, not several, and not other bytes: as its prefix tells.
bool is_of_one(const Operands& o) { return o.prefix == 0xf2 || o.prefix == 0xf3; }

}  // namespace

bool stores_number(const std::uint8_t* at, const std::uint8_t* end) {
  Operands o = read_operands(at, end);
  if (!o.length || !o.in_memory || (o.base == rsp && o.index < 0)) return false;
  if (o.map == 1) return o.opcode == 0x11 && is_of_one(o);
  int which = o.first & 7;
  bool old = o.map == 0 && !o.vector;
  return old && (((o.opcode == 0xd9 || o.opcode == 0xdd) && (which == 2 || which == 3)) || (o.opcode == 0xdb && which == 7));
}

bool compares_numbers(const std::uint8_t* at, const std::uint8_t* end) {
  Operands o = read_operands(at, end);
  if (!o.length) return false;
  if (o.map == 1) return o.opcode == 0x2e || o.opcode == 0x2f || o.opcode == 0x5d || o.opcode == 0x5f;
  return o.map == 0 && !o.vector && (o.opcode == 0xdb || o.opcode == 0xdf) && !o.in_memory && ((o.first & 7) == 5 || (o.first & 7) == 6);
}

bool exchanges(const std::uint8_t* at, const std::uint8_t* end) {
  Operands o = read_operands(at, end);
  return o.length && !o.vector && o.map == 1 && o.in_memory && (o.opcode == 0xb0 || o.opcode == 0xb1 || o.opcode == 0xc7);
}

bool swaps(const std::uint8_t* at, const std::uint8_t* end) {
  Operands o = read_operands(at, end);
  return o.length && !o.vector && o.map == 0 && o.in_memory && (o.opcode == 0x86 || o.opcode == 0x87);
}

bool steps_by_one(const std::uint8_t* at, const std::uint8_t* end) {
  Operands o = read_operands(at, end);
  if (!o.length || o.vector || o.map) return false;
  int which = o.first & 7;
  if (o.opcode == 0xfe || o.opcode == 0xff) return which < 2;
  bool one = o.immediate == 1 || o.immediate == -1;
  if (o.opcode == 0x80 || o.opcode == 0x81 || o.opcode == 0x83) return one && (which == 0 || which == 5);
  return o.opcode == 0x8d && o.base >= 0 && o.index < 0 && (o.displacement == 1 || o.displacement == -1);
}

bool moves_on(const std::uint8_t* at, const std::uint8_t* end, bool has_frame_pointer) {
  constexpr int soon = 3;
  auto is_frame = [=](int base) { return base == rsp || (base == rbp && has_frame_pointer); };
  Operands o = read_operands(at, end);
  if (!o.length || o.vector || o.map || !o.has_modrm) return false;
  bool by_constant = (o.opcode == 0x81 || o.opcode == 0x83) && ((o.first & 7) == 0 || (o.first & 7) == 5);
  if (by_constant && o.in_memory) return !is_frame(o.base);
  bool of_register = by_constant && o.second != rsp;
  bool by_address = o.opcode == 0x8d && o.base >= 0 && !is_frame(o.base) && o.index < 0 && o.displacement;
  if (!of_register && !by_address) return false;
  int made = of_register ? o.second : o.first;
  for (int i = 0; i < soon && o.length; ++i) {
    at += o.length;
    o = read_operands(at, end);
    bool stores = o.length && !o.vector && !o.map && o.opcode == 0x89 && o.in_memory;
    if (stores && o.first == made && !is_frame(o.base)) return true;
  }
  return false;
}

bool adds_at_once(const std::uint8_t* at, const std::uint8_t* end) {
  Operands o = read_operands(at, end);
  bool by_constant = o.length && !o.vector && o.map == 0 && o.in_memory && (o.opcode == 0x80 || o.opcode == 0x81 || o.opcode == 0x83);
  return by_constant && (o.first & 7) != 7 && o.immediate != 0 && is_locked(at);
}

bool is_of_thread(const std::uint8_t* at, const std::uint8_t* end) {
  constexpr std::int32_t guard = 0x28;
  const std::uint8_t* prefix = at;
  while (prefix < end && (*prefix == 0x66 || *prefix == 0xf2 || *prefix == 0xf3 || *prefix == 0xf0)) ++prefix;
  if (prefix == end || *prefix != 0x64) return false;
  Operands o = read_operands(at, end);
  return o.length && o.in_memory && !(o.base < 0 && o.index < 0 && o.displacement == guard);
}

bool is_locked(const std::uint8_t* at) {
  while (*at == 0x66 || *at == 0x2e || *at == 0x3e || *at == 0x64) ++at;
  return *at == 0xf0;
}

}  // namespace weir::lane
