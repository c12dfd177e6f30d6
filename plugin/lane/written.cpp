// SPDX-License-Identifier: Apache-2.0
#include "lane/written.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/names.h"
#include "lane/instruction.h"
#include "lane/place.h"

namespace weir::lane {
namespace {

// Starts of names; and whatever has "printf" in it.
constexpr const char* writing[] = {"_ZNSolsE", "_ZNSo9_M_insert", "_ZNSt13basic_ostream", "_ZN3fmt", "g_print", "g_log", "_ZN6QDebug"};

bool writes_text(const char* name) { return std::strstr(name, "printf") || base::starts_with_one(name, writing); }

const char* name_called(const Object& object, const Instruction& i) {
  if (i.kind == Instruction::call_slot) return object.name_of_slot(i.target);
  if (i.kind != Instruction::call && i.kind != Instruction::jump) return nullptr;
  std::uintptr_t slot = object.slot_of_stub(i.target);
  return slot ? object.name_of_slot(slot) : nullptr;
}

// The places that hold the number.
class Held {
 public:
  Held() { add({rax, false, 0}); }

  bool any() const { return count_ > 0; }
  bool has(const Place& place) const { return std::find(places_, places_ + count_, place) != places_ + count_; }
  bool outlives_calls() const { return !std::all_of(places_, places_ + count_, is_lost_by_calls); }
  void by(const Places& places, const Instruction& i, const Operands& o) {
    Place made = copied_to(places, i, o);
    for (int p = 0; p < count_;) {
      if (places_[p] != made && places.change(places_[p], i, o).what != Change::nothing) places_[p] = places_[--count_];
      else ++p;
    }
    if (made) add(made);
  }

 private:
  static constexpr int most = 16;

  static bool is_lost_by_calls(const Place& place) { return !place.slot && place.base != rbx && place.base != rbp && place.base < r12; }

  // Where a copy of it is put.
  Place copied_to(const Places& places, const Instruction& i, const Operands& o) const {
    if (i.kind != Instruction::other || !o.has_modrm || o.map || o.vector) return {};
    Place first{o.first, false, 0}, second = places.second_of(o);
    bool to_second = o.opcode == 0x89, to_first = o.opcode == 0x8b || o.opcode == 0x63;
    if (to_second && second && has(first)) return second;
    return to_first && second && has(second) ? first : Place{};
  }

  void add(const Place& place) {
    if (!has(place) && count_ < most) places_[count_++] = place;
  }

  Place places_[most];
  int count_ = 0;
};

bool is_handed(const Held& held) {
  return std::any_of(std::begin(argument_registers), std::end(argument_registers), [&](int of) { return held.has({of, false, 0}); });
}

// Nothing is done with it but that it is copied, or lost.
bool leaves_alone(const Held& held, const Places& places, const Instruction& i, const Operands& o) {
  auto holds = [&](int of) { return of >= 0 && held.has({of, false, 0}); };
  if (i.kind == Instruction::loads_slot || i.kind == Instruction::takes_address) return true;
  if (i.kind != Instruction::other || !o.length || o.narrow) return false;
  bool fills_byte = !o.has_modrm && !o.map && o.opcode >= 0xb0 && o.opcode <= 0xb7;
  if (fills_byte) return true;
  if (!o.has_modrm) return !holds(o.in_opcode) && !holds(rax) && !holds(rcx) && !holds(rsi) && !holds(rdi);
  bool clears_vector = o.map == 1 && (o.opcode == 0x57 || o.opcode == 0xef) && !o.in_memory;
  if (clears_vector) return true;
  bool address = (o.in_memory && (holds(o.base) || holds(o.index))) || (places.second_of(o) && places.second_of(o).slot && held.has(places.second_of(o)));
  if (address || o.map || o.vector) return false;
  bool to_first = o.opcode == 0x8b || o.opcode == 0x8d || o.opcode == 0x63, to_second = o.opcode == 0x89 || o.opcode == 0xc7;
  bool clears = (o.opcode == 0x31 || o.opcode == 0x33) && !o.in_memory && o.first == o.second;
  if (to_first || clears) return true;
  if (to_second) return !o.in_memory || o.opcode == 0xc7 || !holds(o.first);
  return !holds(o.first) && (o.in_memory || !holds(o.second));
}

}  // namespace

bool is_only_written(const Object& object, Function function, std::uintptr_t after) {
  Places places(function);
  Held held;
  for (std::uintptr_t at = after; at < function.end && held.any();) {
    Instruction i = read_instruction(bytes_at(at), bytes_at(function.end));
    Operands o = read_operands(bytes_at(at), bytes_at(function.end));
    if (const char* name = name_called(object, i); name && writes_text(name)) return is_handed(held) && !held.outlives_calls();
    if (!leaves_alone(held, places, i, o)) return false;
    held.by(places, i, o);
    at += o.length;
  }
  return false;
}

}  // namespace weir::lane
