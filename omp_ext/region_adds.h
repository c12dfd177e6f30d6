// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lane/flow.h"
#include "lane/object.h"
#include "omp_ext/region_body.h"

namespace weir::team {

// Does each thread that runs this function of a region add something of its own, beside the loop, to what is made one of all: by a reduction,
// an atomic, or while no other is at it? Sums of what loops gave are not meant. `flow`: with what one thread alone does cut off; `share`: where
// a thread does its share, `alone`: where no other does the same. When in doubt, yes.
bool adds_its_own(lane::Function function, const lane::Flow& flow, const Zone& share, const Zone& alone);

}  // namespace weir::team
