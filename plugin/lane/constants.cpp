// SPDX-License-Identifier: Apache-2.0
#include "lane/constants.h"

namespace weir::lane {

void Constants::by(const Instruction& i, const Operands& o) {
  bool plain = o.map == 0 && !o.vector, registers = plain && o.has_modrm && !o.in_memory;
  if (i.kind == Instruction::call || i.kind == Instruction::call_slot || i.kind == Instruction::call_unknown) return forget_all();
  if (i.kind == Instruction::takes_address) return put(o.opcode == 0x8d ? o.first : o.in_opcode, i.target);
  if (registers && o.opcode == 0x89) return put(o.second, value_[o.first & 15]);
  if (registers && o.opcode == 0x8b) return put(o.first, value_[o.second & 15]);
  if (registers && (o.opcode == 0x31 || o.opcode == 0x33) && o.first == o.second) return put(o.first, 0);
  if (plain && (o.opcode & 0xf8) == 0x58) return put(o.in_opcode, {});
  bool compares = plain && ((o.opcode & 0xf8) == 0x38 || o.opcode == 0x84 || o.opcode == 0x85), stores = plain && o.in_memory && (o.opcode | 1) == 0x89;
  if (!o.has_modrm || compares || stores) return;
  put(o.first, {});
  if (!o.in_memory) put(o.second, {});
}

Constants constants_before(Function code, std::uintptr_t before) {
  Constants constants;
  for (std::uintptr_t at = code.begin; at < before;) {
    Operands o = read_operands(bytes_at(at), bytes_at(code.end));
    if (!o.length) return {};
    constants.by(read_instruction(bytes_at(at), bytes_at(code.end)), o);
    at += o.length;
  }
  return constants;
}

}  // namespace weir::lane
