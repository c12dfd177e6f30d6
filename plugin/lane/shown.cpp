// SPDX-License-Identifier: Apache-2.0
#include "lane/shown.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/names.h"
#include "lane/instruction.h"
#include "lane/place.h"

namespace weir::lane {
namespace {

// Starts of names; and whatever has "printf" in it.
constexpr const char* writing[] = {"_ZNSolsE", "_ZNSo9_M_insert", "_ZNSt13basic_ostream", "_ZN3fmt", "g_print", "g_log",
                                   "_gfortran_transfer_integer_write", "_ZN6QDebug"};

bool writes_text(const char* name) { return std::strstr(name, "printf") || base::starts_with_one(name, writing); }

const char* name_called(const Object& object, const Instruction& i) {
  if (i.kind == Instruction::call_slot) return object.name_of_slot(i.target);
  if (i.kind != Instruction::call && i.kind != Instruction::jump) return nullptr;
  std::uintptr_t slot = object.slot_of_stub(i.target);
  return slot ? object.name_of_slot(slot) : nullptr;
}

// The places that hold the number, or its address.
class Held {
 public:
  Held() { add({rax, false, 0}); }

  bool any() const { return count_ > 0; }
  bool has(const Place& place) const { return std::find(places_, places_ + count_, place) != places_ + count_; }
  void by(const Places& places, const Instruction& i, const Operands& o) {
    if (i.kind == Instruction::jump || i.kind == Instruction::jump_unknown) return keep_over_jump();
    Place made = copied_to(places, i, o);
    for (int p = 0; p < count_;) {
      if (places_[p] != made && places.change(places_[p], i, o).what != Change::nothing) places_[p] = places_[--count_];
      else ++p;
    }
    if (made) add(made);
  }

 private:
  static constexpr int most = 16;

  // What a call is handed is put into its place right before it: what is left there from earlier is not meant for it.
  void keep_over_jump() {
    auto* end = std::remove_if(places_, places_ + count_, [](const Place& place) {
      return !place.slot && place.base != rbx && place.base != rbp && place.base < r12;
    });
    count_ = static_cast<int>(end - places_);
  }

  // Where a copy of it is put.
  Place copied_to(const Places& places, const Instruction& i, const Operands& o) const {
    if (i.kind != Instruction::other || !o.has_modrm || o.map || o.vector) return {};
    Place first{o.first, false, 0}, second = places.second_of(o);
    bool to_second = o.opcode == 0x89, to_first = o.opcode == 0x8b || o.opcode == 0x63, address = o.opcode == 0x8d;
    if (to_second && second && has(first)) return second;
    return (to_first || address) && second && (!address || second.slot) && has(second) ? first : Place{};
  }

  void add(const Place& place) {
    if (!has(place) && count_ < most) places_[count_++] = place;
  }

  Place places_[most];
  int count_ = 0;
};

}  // namespace

bool is_shown(const Object& object, Function function, std::uintptr_t after) {
  Places places(function);
  Held held;
  for (std::uintptr_t at = after; at < function.end && held.any();) {
    Instruction i = read_instruction(bytes_at(at), bytes_at(function.end));
    Operands o = read_operands(bytes_at(at), bytes_at(function.end));
    bool stores = i.kind == Instruction::other && !o.map && !o.vector && o.opcode == 0x89 && o.in_memory && !places.second_of(o);
    if (stores && held.has({o.first, false, 0})) return true;
    if (const char* name = name_called(object, i); name && writes_text(name)) {
      bool handed = std::any_of(std::begin(argument_registers), std::end(argument_registers), [&](int of) { return held.has({of, false, 0}); });
      if (handed) return true;
    }
    held.by(places, i, o);
    at += o.length ? o.length : i.length ? i.length : 1;
  }
  return false;
}

}  // namespace weir::lane
