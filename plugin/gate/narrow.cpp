// SPDX-License-Identifier: Apache-2.0
#include "gate/narrow.h"

#include "gate/gate.h"

namespace weir::gate {
namespace {

// What held before it was narrowed; no cores: it is not. In a child that was forked meanwhile, until it narrows itself.
struct Before {
  std::int64_t cores = 0, spare = 0;
  bool all_long = false;
};
constinit Before before;

}  // namespace

void narrow_to(std::int64_t cores) {
  Gate& gate = the_gate;
  if (cores >= gate.cores.limit()) return;
  if (!before.cores) before = {gate.cores.limit(), gate.cores.spare(), gate.pieces.count_as_long()};
  gate.cores.set_limit(cores);
  gate.pieces.are_all_long();
}

void as_wide_as_before() {
  if (!before.cores) return;
  the_gate.pieces.are_all_long(before.all_long);
  the_gate.cores.set_limit(before.cores, before.spare);
  before = {};
}

}  // namespace weir::gate
