// SPDX-License-Identifier: Apache-2.0
#include "lane/vectors.h"

#include "lane/instruction.h"

namespace weir::lane {
namespace {

// Opcodes of 0F, by what they do to the vector they name first.
enum : std::uint8_t {
  moves_unaligned = 0x10, moves_low = 0x12, moves_high = 0x16, moves_aligned = 0x28, from_general = 0x6e, moves_integers = 0x6f,
  low_halves = 0x6c, from_quarter = 0x7e, exclusive_or = 0x57, exclusive_or_of_integers = 0xef,
};
constexpr std::uint8_t repeats_general = 0x7c, inserts_general = 0x22;  // of 0F 38, of 0F 3A

class Making {
 public:
  Making(const Places& places, Function code) : places_(places), code_(code) {}

  void look(int vector, std::uintptr_t before, int depth) {
    Operands last;
    std::uintptr_t there = 0;
    for (std::uintptr_t at = code_.begin; at < before;) {
      Operands o = read_operands(bytes_at(at), bytes_at(before));
      Instruction::Kind kind = read_instruction(bytes_at(at), bytes_at(before)).kind;
      bool calls = kind == Instruction::call || kind == Instruction::call_slot || kind == Instruction::call_unknown;
      if (calls) last = {};
      if (o.length && (o.map || o.vector) && o.first == vector && !(o.map == 1 && o.in_memory && stores_vector(o))) last = o, there = at;
      at += o.length ? o.length : 1;
    }
    if (!last.length || last.masked || !depth) made.known = false;
    else read(last, there, depth - 1);
  }

  Made made;

 private:
  // The instruction that made it.
  void read(const Operands& o, std::uintptr_t at, int depth) {
    if (o.map == 3 && o.opcode == inserts_general) {
      want(places_.second_of(o), at);
      return look(o.vector ? o.third : o.first, at, depth);
    }
    if (o.map == 2 && o.opcode == repeats_general) return want(places_.second_of(o), at);
    if (o.map != 1) return unknown();
    int other = o.vector ? o.third : o.first;
    switch (o.opcode) {
      case exclusive_or: case exclusive_or_of_integers:
        if (o.in_memory || o.second != other) unknown();
        return;
      case from_general: return want(places_.second_of(o), at);
      case low_halves: return both(o, other, at, depth);
      case moves_high: return o.prefix == 0xf3 ? unknown() : both(o, other, at, depth);
      case moves_low: return o.prefix == 0xf2 ? moved(o, at, depth) : unknown();
      case from_quarter: return o.prefix == 0xf3 ? moved(o, at, depth) : unknown();
      case moves_unaligned: return !o.in_memory && o.prefix & 0xf0 && o.prefix != 0x66 ? unknown() : moved(o, at, depth);
      case moves_aligned: case moves_integers: return moved(o, at, depth);
      default: return unknown();
    }
  }

  void both(const Operands& o, int other, std::uintptr_t at, int depth) {
    if (o.in_memory) want_all(o, at);
    else look(o.second, at, depth);
    if (o.in_memory || o.second != other) look(other, at, depth);
  }
  void moved(const Operands& o, std::uintptr_t at, int depth) { o.in_memory ? want_all(o, at) : look(o.second, at, depth); }

  void want_all(const Operands& o, std::uintptr_t at) {
    constexpr int slot = 8;
    Place place = places_.second_of(o);
    if (!place || !o.bytes) return unknown();
    for (int behind = 0; behind < o.bytes; behind += slot) want({place.base, true, place.displacement + behind}, at);
  }

  void want(const Place& place, std::uintptr_t at) {
    if (!place || made.count == Made::most) return unknown();
    made.parts[made.count++] = {place, at};
  }
  void unknown() { made.known = false; }

  const Places& places_;
  Function code_;
};

}  // namespace

Made made_of(const Places& places, Function code, int vector, std::uintptr_t before) {
  constexpr int most_deep = 6;
  Making making(places, code);
  making.look(vector, before, most_deep);
  return making.made;
}

}  // namespace weir::lane
