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

}  // namespace

int way_if(bool zero, Function code) {
  Look look;
  for (std::uintptr_t at = code.begin; at < code.end;) {
    Operands o = read_operands(bytes_at(at), bytes_at(code.end));
    bool equal = (o.map == 0 && o.opcode == 0x74) || (o.map == 1 && o.opcode == 0x84);
    bool not_equal = (o.map == 0 && o.opcode == 0x75) || (o.map == 1 && o.opcode == 0x85);
    bool jumps = o.length && !o.vector && (equal || not_equal);
    at += o.length ? o.length : 1;
    if (jumps && at >= code.end) return !look.compared ? -1 : (look.equal_if_zero == zero) == equal;
    look.by(o);
  }
  return -1;
}

}  // namespace weir::lane
