// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_joint.h"

#include "lane/arithmetic.h"
#include "omp_ext/region_part.h"

namespace weir::team {

using lane::Flow;
using lane::Instruction;

void Joint::note(const lane::Object& object, const Flow& flow, int block, const Instruction& i, std::uintptr_t at, Named named) {
  bool exchanges = lane::exchanges(lane::bytes_at(at), lane::bytes_at(flow.code_of(block).end));
  if (exchanges) exchanges_[static_cast<std::size_t>(block)] = true;
  mark_alone(alone_, object, block, i, at, named);
  if (!named.name || i.kind == Instruction::loads_slot) return;
  if (part_of_name(named.name) == Part::reduces) reduction_.mark(block, at, false);
}

void Joint::find(const Flow& flow) {
  alone_.find(flow);
  reduction_.find(flow);
  if (exchanges_.none()) return;
  for (int block = 0; block < flow.count(); ++block) exchanged_[static_cast<std::size_t>(block)] = (flow.loop_around(block) & exchanges_).any();
}

}  // namespace weir::team
