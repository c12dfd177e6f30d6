// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_body.h"

namespace weir::team {

using lane::Flow;
using lane::Instruction;
using lane::Object;

void Zone::mark(int block, std::uintptr_t at, bool ends) {
  if (count_ < most) marks_[count_++] = {at, block, ends};
  else everywhere_ = true;
}

void Zone::find(const Flow& flow) {
  Flow::Blocks ends;
  for (int i = 0; i < count_; ++i) {
    if (marks_[i].ends) ends[static_cast<std::size_t>(marks_[i].block)] = true;
  }
  for (int i = 0; i < count_; ++i) {
    bool last = i + 1 == count_ || marks_[i + 1].block != marks_[i].block;
    if (last && !marks_[i].ends) entered_within_ |= flow.after(marks_[i].block, ends);
  }
}

bool Zone::holds(int block, std::uintptr_t at) const {
  bool within = entered_within_[static_cast<std::size_t>(block)];
  for (int i = 0; i < count_ && marks_[i].at <= at; ++i) {
    if (marks_[i].block == block) within = !marks_[i].ends;
  }
  return within || everywhere_;
}

Named named_by(const Object& object, const Instruction& i) {
  switch (i.kind) {
    case Instruction::call:
    case Instruction::jump:
      if (object.starting_at(i.target)) return {nullptr, i.target};
      if (std::uintptr_t slot = object.slot_of_stub(i.target)) return {object.name_of_slot(slot)};
      return {};
    case Instruction::call_slot:
    case Instruction::loads_slot: return {object.name_of_slot(i.target)};
    case Instruction::takes_address: return {nullptr, object.starting_at(i.target) ? i.target : 0};
    default: return {};
  }
}

}  // namespace weir::team
