// SPDX-License-Identifier: Apache-2.0
#include "lane/branch.h"

#include "lane/instruction.h"

namespace weir::lane {
namespace {

// Where what was returned, and what is made of it in rax, is looked at.
struct Look {
  bool flipped = false;        // rax is 0 where what was returned is not
  bool compared = false;
  bool equal_if_zero = false;  // the flags say "equal" where what was returned is 0

  void by(const Operands& o);
  void compare(std::int64_t with) {
    compared = with == 0 || with == 1;
    equal_if_zero = (with == 0) != flipped;
  }
};

void Look::by(const Operands& o) {
  if (o.vector || o.map > 1 || !o.length) return;
  bool of_rax = !o.has_modrm || (!o.in_memory && o.second == rax);
  int op = o.opcode, which = o.first & 7;
  if (o.map == 1) {
    bool set_if_equal = op == 0x94, set_if_not = op == 0x95;
    if (of_rax && compared && (set_if_equal || set_if_not)) flipped = equal_if_zero == set_if_equal;
    return;
  }
  bool by_constant = op == 0x80 || op == 0x81 || op == 0x83;
  if ((op == 0x84 || op == 0x85) && of_rax && o.first == rax) compare(0);
  else if ((by_constant && of_rax && which == 7) || op == 0x3c || op == 0x3d) compare(o.immediate);
  else if (((by_constant && of_rax && which == 6) || op == 0x34 || op == 0x35) && o.immediate == 1) flipped = !flipped;
}

bool is_equal(const Operands& o) { return (o.map == 0 && o.opcode == 0x74) || (o.map == 1 && o.opcode == 0x84); }
bool is_not_equal(const Operands& o) { return (o.map == 0 && o.opcode == 0x75) || (o.map == 1 && o.opcode == 0x85); }
bool jumps_by(const Operands& o) { return o.length && !o.vector && (is_equal(o) || is_not_equal(o)); }

bool compares_with_zero(const Places& places, const Place& place, const Operands& o) {
  if (!o.length || o.vector || o.map || !o.has_modrm || places.second_of(o) != place) return false;
  bool by_itself = o.opcode == 0x85 && !o.in_memory && o.first == o.second;
  return by_itself || ((o.opcode == 0x81 || o.opcode == 0x83) && (o.first & 7) == 7 && o.immediate == 0);
}

}  // namespace

int way_if_zero(const Places& places, const Place& place, Function code) {
  bool compared = false;
  for (std::uintptr_t at = code.begin; at < code.end;) {
    Operands o = read_operands(bytes_at(at), bytes_at(code.end));
    at += o.length ? o.length : 1;
    if (jumps_by(o) && at >= code.end) return compared ? is_equal(o) : -1;
    compared = compares_with_zero(places, place, o);
  }
  return -1;
}

int way_if(bool zero, Function code) {
  Look look;
  for (std::uintptr_t at = code.begin; at < code.end;) {
    Operands o = read_operands(bytes_at(at), bytes_at(code.end));
    at += o.length ? o.length : 1;
    if (jumps_by(o) && at >= code.end) return !look.compared ? -1 : (look.equal_if_zero == zero) == is_equal(o);
    look.by(o);
  }
  return -1;
}

}  // namespace weir::lane
