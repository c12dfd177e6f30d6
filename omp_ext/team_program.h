// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "omp_ext/team_names.h"

namespace weir::team {

// leeway_of() everything that is loaded now. Takes the loader's lock.
Leeway leeway_of_what_is_loaded();

}  // namespace weir::team
