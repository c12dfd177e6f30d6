// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "lane/object.h"
#include "lane/place.h"

namespace weir::lane {

// What a vector register holds that was made before an instruction, in code that is run without a jump: what was in these places before
// those instructions, and 0.
struct Made {
  struct Part {
    Place place;
    std::uintptr_t before;
  };
  static constexpr int most = 8;
  Part parts[most];
  int count = 0;
  bool known = true;  // that it is no more
};
Made made_of(const Places& places, Function code, int vector, std::uintptr_t before);

}  // namespace weir::lane
