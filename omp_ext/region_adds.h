// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lane/flow.h"
#include "lane/object.h"
#include "omp_ext/region_body.h"

namespace weir::team {

// Does each thread that runs this function of a region add something of its own, beside the loop, to what is made one of all: by a reduction,
// an atomic, or while no other is at it? Sums of what loops gave are not meant; of one that is not `shared` out, and that each thread runs for
// itself, a constant or what it counts in is. `flow`: with what one thread alone does cut off; `share`: where a thread does its share,
// `alone`: where no other does the same. When in doubt, yes.
struct Beside {
  const Zone& share;
  const Zone& alone;
  const lane::Flow::Blocks& shared;
  bool by_openmp = false;  // the loop is shared out; else pieces may be taken by hand, the first of them beside the loop
};
bool adds_its_own(const lane::Object& object, lane::Function function, const lane::Flow& flow, const Beside& beside);

}  // namespace weir::team
