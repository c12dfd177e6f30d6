// SPDX-License-Identifier: Apache-2.0
#include "control/log.h"

namespace weir::control {

void put_head(base::Line& line, Algorithm algorithm, const Bounds& bounds, const IopaTuning& iopa) {
  const char* name = algorithm == Algorithm::iopa ? "iopa" : "weir";
  line.add("{\"controller\": \"%s\", \"cores\": %d, \"kmax\": %d, \"start\": %d, \"start_kib\": %d", name, bounds.cores,
           bounds.most, bounds.start, bounds.start_kib);
  if (algorithm == Algorithm::iopa) {
    line.add(", \"init_share\": %.6f, \"fast_share\": %.6f, \"init_threads\": %d, \"fast_threads\": %d",
             iopa.init_share, iopa.fast_share, iopa.init_threads, iopa.fast_threads);
    line.add(", \"increase_threshold\": %.6f, \"decrease_threshold\": %.6f", iopa.increase_threshold,
             iopa.decrease_threshold);
    line.add(", \"fast_cycle_s\": %.6f, \"normal_cycle_s\": %.6f, \"hold_cycle_s\": %.6f", iopa.fast_cycle_s,
             iopa.normal_cycle_s, iopa.hold_cycle_s);
    line.add(", \"previous_average_num\": %d", iopa.previous_average_num);
  }
  line.add("}\n");
}

// Six places: as many as as_logged() keeps, so that reading gives the very numbers that were decided by.
void put_step(base::Line& line, double t_s, const Sample& s, const Decision& d) {
  line.add("{\"t\": %.3f, \"state\": \"%s\", \"limit\": %d, \"reason\": \"%s\"", t_s, name_of(d.state), d.limit,
           d.reason);
  line.add(", \"sample\": [%.6f, %.6f, %.0f, %.6f, %.6f, %.6f, %.6f, %llu]}\n", s.dt_s, s.ops, s.bytes, s.busy,
           s.blocked, s.cpu, s.level, static_cast<unsigned long long>(s.region));
}

}  // namespace weir::control
