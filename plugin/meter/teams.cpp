// SPDX-License-Identifier: Apache-2.0
#include "meter/teams.h"

namespace weir::meter {

constinit Teams teams;

}  // namespace weir::meter
