// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "omp_ext/region_body.h"

namespace weir::team {

// Where the threads of a region make one of what each of them has made: with nobody else at it, in the merge of a reduction, or in a
// loop that writes what came out only if nobody else wrote meanwhile.
class Joint {
 public:
  // Of every instruction, in the order of addresses; then find().
  void note(const lane::Object& object, const lane::Flow& flow, int block, const lane::Instruction& i, std::uintptr_t at, Named named);
  void find(const lane::Flow& flow);

  bool makes_one(int block, std::uintptr_t at) const { return alone_.holds(block, at) || reduction_.holds(block, at); }
  bool exchanges(int block) const { return exchanged_[static_cast<std::size_t>(block)]; }

 private:
  Zone alone_, reduction_;
  lane::Flow::Blocks exchanges_, exchanged_;  // the latter: in a loop around an exchange
};

}  // namespace weir::team
