// SPDX-License-Identifier: Apache-2.0
#include "lane/instruction.h"

#include <cstring>

namespace weir::lane {
namespace {

using Byte = std::uint8_t;

// Where an instruction's parts are.
struct Parts {
  const Byte* at;
  const Byte* end;
  bool word = false;      // 66: a 16-bit operand
  bool rex_w = false;
  int first_high = 0, index_high = 0, base_high = 0;  // 8: one of the upper eight registers
  int map = 0;            // 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A
  bool vector = false;    // VEX or EVEX
  Byte prefix = 0;        // 66, F2 or F3
  int third = -1, vector_bytes = 16;
  bool masked = false, is_evex = false, wide_vector = false;
  Byte opcode = 0;
  Byte modrm = 0;
  bool has_modrm = false;
  bool relative = false;  // the modrm operand is disp32(%rip)
  int base = -1, index = -1, scale = 1;
  std::int32_t displacement = 0;
  std::int64_t immediate = 0;
  bool good = true;

  bool take(int bytes) {
    if (end - at < bytes) good = false;
    else at += bytes;
    return good;
  }
  Byte next() { return take(1) ? at[-1] : 0; }
  template <typename T>
  T value() {
    T v{};
    if (take(sizeof v)) std::memcpy(&v, at - sizeof v, sizeof v);
    return v;
  }
};

void read_high_bits(Parts& p, Byte bits) {
  p.first_high = bits & 4 ? 8 : 0;
  p.index_high = bits & 2 ? 8 : 0;
  p.base_high = bits & 1 ? 8 : 0;
}

void read_vex(Parts& p, Byte bits, int length) {
  constexpr Byte prefixes[] = {0, 0x66, 0xf3, 0xf2};
  p.vector = true;
  p.prefix = prefixes[bits & 3];
  p.third = ~bits >> 3 & 15;
  p.vector_bytes = 16 << length;
}

void read_opcode(Parts& p) {
  Byte b = p.next();
  while (p.good && is_old_prefix(b)) {
    if (b == 0x66) p.word = true;
    if (b == 0xf2 || b == 0xf3 || (b == 0x66 && !p.prefix)) p.prefix = b;
    b = p.next();
  }
  if (is_rex(b)) {
    p.rex_w = b & 8;
    read_high_bits(p, b);
    b = p.next();
  }
  if (b == 0xc5) {
    Byte bits = p.next();
    p.first_high = bits & 0x80 ? 0 : 8;
    p.map = 1;
    read_vex(p, bits, bits >> 2 & 1);
    b = p.next();
  } else if (b == 0xc4 || b == 0x62) {
    p.is_evex = b == 0x62;
    Byte bits = p.next();
    read_high_bits(p, static_cast<Byte>(~bits >> 5));
    p.map = bits & (p.is_evex ? 7 : 31);
    Byte more = p.next(), last = p.is_evex ? p.next() : 0;
    read_vex(p, more, p.is_evex ? last >> 5 & 3 : more >> 2 & 1);
    p.wide_vector = more & 0x80;
    p.masked = last & 7;
    if (p.is_evex && !(bits & 0x10)) p.first_high += 16;
    if (p.is_evex && !(last & 8)) p.third += 16;
    b = p.next();
  } else if (b == 0x0f) {
    p.map = 1;
    b = p.next();
    if (b == 0x38 || b == 0x3a) {
      p.map = b == 0x38 ? 2 : 3;
      b = p.next();
    }
  }
  p.opcode = b;
}

bool wants_modrm(const Parts& p) {
  Byte o = p.opcode;
  if (p.vector) return !(p.map == 1 && o == 0x77);
  if (p.map >= 2) return true;
  if (p.map == 1) {
    if ((o & 0xf0) == 0x80 || (o >= 0xc8 && o <= 0xcf) || (o >= 0x30 && o <= 0x37)) return false;
    return !(o == 0x05 || o == 0x06 || o == 0x08 || o == 0x09 || o == 0x0b || o == 0x77 || (o >= 0xa0 && o <= 0xa2) ||
             (o >= 0xa8 && o <= 0xaa));
  }
  if (o < 0x40) return (o & 7) < 4;
  return o == 0x63 || o == 0x69 || o == 0x6b || (o >= 0x80 && o <= 0x8f) || o == 0xc0 || o == 0xc1 || o == 0xc6 ||
         o == 0xc7 || (o >= 0xd0 && o <= 0xd3) || (o >= 0xd8 && o <= 0xdf) || o == 0xf6 || o == 0xf7 || o >= 0xfe;
}

void read_modrm(Parts& p) {
  p.has_modrm = true;
  p.modrm = p.next();
  int mode = p.modrm >> 6, base = p.modrm & 7;
  if (mode == 3) return;
  bool indexed = base == 4;
  if (indexed) {
    Byte sib = p.next();
    base = sib & 7;
    int index = (sib >> 3 & 7) + p.index_high;
    if (index != 4) p.index = index;
    p.scale = 1 << (sib >> 6);
  }
  if (mode == 1) p.displacement = p.value<std::int8_t>();
  if (mode == 2 || (mode == 0 && base == 5)) p.displacement = p.value<std::int32_t>();
  p.relative = mode == 0 && base == 5 && !indexed;
  if (mode != 0 || base != 5) p.base = base + p.base_high;
}

// Bytes of immediate operand; a jump's distance is one.
int immediate_bytes(const Parts& p) {
  Byte o = p.opcode;
  int full = p.word ? 2 : 4;
  if (p.map == 3) return 1;
  if (p.map == 2) return 0;
  if (p.map == 1) {
    if (!p.vector && (o & 0xf0) == 0x80) return 4;
    bool one = (o >= 0x70 && o <= 0x73) || o == 0xa4 || o == 0xac || o == 0xba || o == 0xc2 || (o >= 0xc4 && o <= 0xc6);
    return one ? 1 : 0;
  }
  if (o < 0x40) return (o & 7) == 4 ? 1 : (o & 7) == 5 ? full : 0;
  if (o >= 0xb8 && o <= 0xbf) return p.rex_w ? 8 : full;
  if ((o >= 0x70 && o <= 0x7f) || (o >= 0xb0 && o <= 0xb7) || (o >= 0xe0 && o <= 0xe7)) return 1;
  if (o >= 0xa0 && o <= 0xa3) return 8;
  switch (o) {
    case 0x68: case 0x69: case 0x81: case 0xa9: case 0xc7: return full;
    case 0x6a: case 0x6b: case 0x80: case 0x83: case 0xa8: case 0xc0: case 0xc1: case 0xc6: case 0xcd: case 0xeb: return 1;
    case 0xe8: case 0xe9: return 4;
    case 0xc2: case 0xca: return 2;
    case 0xc8: return 3;
    case 0xf6: return (p.modrm & 0x38) < 0x10 ? 1 : 0;
    case 0xf7: return (p.modrm & 0x38) < 0x10 ? full : 0;
    default: return 0;
  }
}

void read_immediate(Parts& p) {
  switch (immediate_bytes(p)) {
    case 0: break;
    case 1: p.immediate = p.value<std::int8_t>(); break;
    case 4: p.immediate = p.value<std::int32_t>(); break;
    case 8: p.immediate = p.value<std::int64_t>(); break;
    case 2: p.take(2); break;
    default: p.take(3);
  }
}

Instruction::Kind kind_of(const Parts& p) {
  using I = Instruction;
  if (p.vector) return I::other;
  if (p.map == 1) return (p.opcode & 0xf0) == 0x80 ? I::jump : I::other;
  if (p.map != 0) return I::other;
  Byte o = p.opcode;
  if (o == 0xe8) return I::call;
  if (o == 0xe9 || o == 0xeb || (o & 0xf0) == 0x70 || (o >= 0xe0 && o <= 0xe3)) return I::jump;
  if (o == 0x8d && p.relative) return I::takes_address;
  if (o == 0x8b && p.relative) return I::loads_slot;
  if (o >= 0xb8 && o <= 0xbf) return I::takes_address;
  if (o != 0xff) return I::other;
  int which = p.modrm >> 3 & 7;
  if (which == 2) return p.relative ? I::call_slot : I::call_unknown;
  if (which == 4) return p.relative ? I::call_slot : I::jump_unknown;
  return I::other;
}

// What a move between a vector register and memory moves.
int bytes_moved(const Parts& p) {
  bool legacy = !p.prefix && !p.vector;
  if (p.map == 2) return p.vector ? p.vector_bytes : 0;
  if (p.map == 3) return p.opcode == 0x19 || p.opcode == 0x39 ? 16 : p.opcode == 0x1b || p.opcode == 0x3b ? 32 : 0;
  if (p.map != 1) return 0;
  switch (p.opcode) {
    case 0x10: case 0x11: return p.prefix == 0xf3 ? 4 : p.prefix == 0xf2 ? 8 : p.vector_bytes;
    case 0x12: case 0x16: return p.prefix == 0xf3 || p.vector_bytes > 16 ? p.vector_bytes : 8;
    case 0x13: case 0x17: case 0xd6: return 8;
    case 0x28: case 0x29: return p.vector_bytes;
    case 0x6e: return p.rex_w || p.wide_vector ? 8 : 4;
    case 0x7e: return p.prefix == 0xf3 || p.rex_w || p.wide_vector ? 8 : 4;
    case 0x6f: case 0x7f: case 0xe7: return legacy ? 8 : p.vector_bytes;
    default: return 0;
  }
}

Parts read_parts(const Byte* at, const Byte* end) {
  Parts p{at, end};
  read_opcode(p);
  if (p.good && wants_modrm(p)) read_modrm(p);
  if (p.good) read_immediate(p);
  return p;
}

Operands operands_of(const Parts& p, const Byte* at) {
  Operands o;
  if (!p.good) return o;
  o.length = static_cast<Byte>(p.at - at);
  o.map = p.map;
  o.opcode = p.opcode;
  o.vector = p.vector;
  o.prefix = p.prefix;
  o.third = p.third;
  o.masked = p.masked;
  o.bytes = bytes_moved(p);
  o.narrow = p.word;
  o.wide = p.rex_w;
  o.has_modrm = p.has_modrm;
  o.in_memory = p.has_modrm && p.modrm < 0xc0;
  o.first = (p.modrm >> 3 & 7) + p.first_high;
  o.second = (p.modrm & 7) + p.base_high + (p.is_evex && p.index_high ? 16 : 0);
  o.base = p.base;
  o.index = p.index;
  o.scale = p.scale;
  o.displacement = p.displacement;
  bool scaled = p.is_evex && p.has_modrm && p.modrm >> 6 == 1 && o.bytes;  // a byte that counts as many of what is moved
  if (scaled) o.displacement *= o.bytes;
  o.immediate = p.immediate;
  o.in_opcode = (p.opcode & 7) + p.base_high;
  return o;
}

Instruction instruction_of(const Parts& p, const Byte* at) {
  if (!p.good) return {};
  Instruction instruction;
  instruction.length = static_cast<Byte>(p.at - at);
  instruction.kind = kind_of(p);
  auto next = reinterpret_cast<std::uintptr_t>(p.at);
  if (instruction.kind == Instruction::call || instruction.kind == Instruction::jump)
    instruction.target = next + static_cast<std::uintptr_t>(p.immediate);
  else if (p.relative) instruction.target = next + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(p.displacement));
  else instruction.target = static_cast<std::uintptr_t>(static_cast<std::uint64_t>(p.immediate));
  return instruction;
}

}  // namespace

Operands read_operands(const Byte* at, const Byte* end) { return operands_of(read_parts(at, end), at); }

Instruction read_instruction(const Byte* at, const Byte* end) { return instruction_of(read_parts(at, end), at); }

Understood read_both(const Byte* at, const Byte* end) {
  Parts p = read_parts(at, end);
  return {instruction_of(p, at), operands_of(p, at)};
}

}  // namespace weir::lane
