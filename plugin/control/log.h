// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/log.h"
#include "control/controller.h"

namespace weir::control {

// The decision log, one JSON object a line: first what the controller was made with, then each sample with what came
// of it. It replays: the same samples give the same decisions.
void put_head(base::Line& line, Algorithm algorithm, const Bounds& bounds, const IopaTuning& iopa);
void put_step(base::Line& line, double t_s, const Sample& sample, const Decision& decision);

}  // namespace weir::control
