// SPDX-License-Identifier: Apache-2.0
#include "lane/place.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace weir::lane {
namespace {

constexpr Place in(int of) { return {of, false, 0}; }

bool changes_over_calls(const Place& place) {
  return !place.slot && (place.base <= rdx || (place.base >= rsi && place.base <= r11));
}

Change if_is(bool is, Change change = {Change::other}) { return is ? change : Change{}; }

Change if_copied(bool is, const Place& from) { return if_is(is, from ? Change{Change::copy, from} : Change{Change::other}); }

template <std::size_t n>
bool among(int opcode, const int (&those)[n]) {
  return std::find(std::begin(those), std::end(those), opcode) != std::end(those);
}
bool between(int opcode, int first, int last) { return opcode >= first && opcode <= last; }

}  // namespace

bool has_frame_pointer(Function function) {
  if (function.end - function.begin <= 8) return false;
  const std::uint8_t* at = bytes_at(function.begin);
  if (!std::memcmp(at, "\xf3\x0f\x1e\xfa", 4)) at += 4;  // endbr64
  return !std::memcmp(at, "\x55\x48\x89\xe5", 4);
}

Places::Places(Function function) : has_frame_pointer_(has_frame_pointer(function)) {}

bool Places::is_frame(int base) const { return base == rsp || (base == rbp && has_frame_pointer_); }

Place Places::second_of(const Operands& o) const {
  if (!o.has_modrm) return {};
  if (!o.in_memory) return in(o.second);
  return o.index < 0 && is_frame(o.base) ? Place{o.base, true, o.displacement} : Place{};
}

Places::Compared Places::compared_by(const Operands& o) const {
  bool plain = o.map == 0 && !o.vector;
  bool two = plain && o.has_modrm && (o.opcode < 0x40 || o.opcode == 0x84 || o.opcode == 0x85);
  bool accumulator = plain && (o.opcode == 0xa8 || o.opcode == 0xa9 || (o.opcode < 0x40 && (o.opcode & 7) >= 4));
  return {second_of(o), two ? in(o.first) : accumulator ? in(rax) : Place{}};
}

Change Places::change(const Place& place, const Instruction& i, const Operands& o) const {
  bool call = i.kind == Instruction::call || i.kind == Instruction::call_slot || i.kind == Instruction::call_unknown;
  if (call) return if_is(changes_over_calls(place));
  if (i.kind == Instruction::jump || i.kind == Instruction::jump_unknown) return {};
  if (o.vector || o.map) return by_longer(place, o);
  return o.opcode < 0x40 ? by_arithmetic(place, o) : by_rest(place, o);
}

bool stores_vector(const Operands& o) {
  constexpr int plain[] = {0x11, 0x13, 0x17, 0x29, 0x7f, 0xd6, 0xe7}, longer[] = {0x2e, 0x2f, 0x8a, 0x8b, 0x8e};
  constexpr int longest[] = {0x14, 0x15, 0x16, 0x17, 0x19, 0x1b, 0x1d, 0x39, 0x3b};
  if (o.map == 1 && o.opcode == 0x7e) return o.prefix != 0xf3;
  if (o.map == 1) return o.in_memory && among(o.opcode, plain);
  bool to_general = o.map == 3 && between(o.opcode, 0x14, 0x17);
  if (!o.in_memory && !to_general) return false;
  bool shrinks = o.vector && o.map == 2 && o.prefix == 0xf3 && between(o.opcode, 0x10, 0x35);
  return shrinks || (o.map == 2 ? o.vector && among(o.opcode, longer) : o.map == 3 && among(o.opcode, longest));
}

// A vector may fill several slots.
static bool covers(const Place& stored, const Operands& o, const Place& place) {
  if (!stored.slot || !place.slot) return place == stored;
  std::int64_t behind = std::int64_t{place.displacement} - stored.displacement;
  return place.base == stored.base && behind >= 0 && behind < std::max(o.bytes, 1);
}

Change Places::by_longer(const Place& place, const Operands& o) const {
  constexpr int from_vectors[] = {0x2c, 0x2d, 0x50, 0xc5, 0xd7};
  Place second = second_of(o), first = in(o.first);
  int op = o.opcode;
  bool to_memory = stores_vector(o), from_vector = o.map == 1 && among(op, from_vectors);
  if (o.vector || o.map >= 2) {
    bool general = from_vector || (o.map >= 2 && (op & 0xf0) == 0xf0) || (o.vector && o.map == 1 && op == 0x93);
    bool further = o.map == 2 && (op == 0xf3 || op == 0xf6) && place == in(o.third);
    return if_is((to_memory && covers(second, o, place)) || (general && place == first) || further);
  }
  if (op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf) return if_copied(place == first, second);
  if (op == 0xb0 || op == 0xb1) return if_is(place == second || place == in(rax));  // cmpxchg
  if (op == 0xc0 || op == 0xc1) return if_is(place == second || place == first);    // xadd
  if (op == 0xc7) return if_is(place == in(rax) || place == in(rdx));
  if (op == 0xa2) return if_is(!place.slot && place.base <= rbx);
  if (between(op, 0xc8, 0xcf)) return if_is(place == in(o.in_opcode));
  bool to_first = from_vector || (op & 0xf0) == 0x40 || op == 0xaf || op == 0xb8 || op == 0xbc || op == 0xbd;
  if (to_first) return if_is(place == first);
  constexpr int changes_bits[] = {0xa4, 0xa5, 0xab, 0xac, 0xad, 0xb3, 0xba, 0xbb};
  return if_is(((op & 0xf0) == 0x90 || among(op, changes_bits)) ? place == second : to_memory && covers(second, o, place));
}

Change Places::by_arithmetic(const Place& place, const Operands& o) const {
  enum { add = 0, sub = 5, cmp = 7 };
  int what = o.opcode >> 3, form = o.opcode & 7;
  if (what == cmp || form > 5) return {};
  bool constant = form >= 4, adds = what == add || what == sub;
  Place to = constant ? in(rax) : form < 2 ? second_of(o) : in(o.first);
  Place by = constant ? Place{} : form < 2 ? in(o.first) : second_of(o);
  return if_is(place == to, {adds && (constant || by) ? Change::step : Change::other, {}, false, by});
}

Change Places::by_rest(const Place& place, const Operands& o) const {
  Place second = second_of(o), first = in(o.first);
  int op = o.opcode, which = o.first & 7;
  if (op == 0x88 || op == 0x89) return if_copied(place == second, first);
  if (op == 0x8a || op == 0x8b || op == 0x63) return if_copied(place == first, second);
  if (op == 0x8d) return by_address(place, o);
  if (op == 0x80 || op == 0x81 || op == 0x83)
    return if_is(place == second && which != 7, {which == 0 || which == 5 ? Change::step : Change::other});
  if (op == 0xfe || op == 0xff) return if_is(place == second && which < 2, {Change::step});
  if (op == 0xf6 || op == 0xf7) return if_is(which >= 4 ? place == in(rax) || place == in(rdx) : which >= 2 && place == second);
  if (between(op, 0xb0, 0xbf) || between(op, 0x58, 0x5f)) return if_is(place == in(o.in_opcode));
  if (between(op, 0x91, 0x97)) return if_is(place == in(rax) || place == in(o.in_opcode));
  if (op == 0x86 || op == 0x87) return if_is(place == first || place == second);
  if (op == 0x69 || op == 0x6b) return if_is(place == first);
  if (op == 0x99) return if_is(place == in(rdx));
  bool of_strings = between(op, 0xa4, 0xaf) && op != 0xa8 && op != 0xa9;
  if (of_strings) return if_is(place == in(rax) || place == in(rcx) || place == in(rsi) || place == in(rdi));
  constexpr int to_second[] = {0x8f, 0xc0, 0xc1, 0xc6, 0xc7};
  return if_is((among(op, to_second) || between(op, 0xd0, 0xdf)) && place == second);
}

Change Places::by_address(const Place& place, const Operands& o) const {
  if (place != in(o.first)) return {};
  if (o.base < 0 || is_frame(o.base)) return {Change::other};
  return {Change::copy, in(o.base), o.displacement != 0, o.index >= 0 ? in(o.index) : Place{}};
}

bool sets_flags(const Operands& o) {
  if (o.vector || o.map > 1) return false;
  int op = o.opcode;
  constexpr int longer[] = {0x2e, 0x2f, 0xa3, 0xaf, 0xb0, 0xb1, 0xba, 0xbc, 0xbd, 0xc0, 0xc1};
  constexpr int plain[] = {0x80, 0x81, 0x83, 0x84, 0x85, 0xa8, 0xa9, 0xc0, 0xc1, 0xd0, 0xd1, 0xd2, 0xd3, 0xf6, 0xf7};
  if (o.map == 1) return among(op, longer);
  if (op < 0x40) return (op & 7) < 6;
  return among(op, plain) || ((op == 0xfe || op == 0xff) && (o.first & 7) < 2);
}

}  // namespace weir::lane
