// SPDX-License-Identifier: Apache-2.0
#include "meter/regions.h"

namespace weir::meter {
constinit Regions regions;
}
