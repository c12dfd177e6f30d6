// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "lane/instruction.h"
#include "lane/object.h"

namespace weir::lane {

// What constants, and addresses of such, stand in the registers as far as a stretch of code tells.
class Constants {
 public:
  void by(const Instruction& i, const Operands& o);
  std::optional<std::uintptr_t> in(int of) const { return value_[of]; }

 private:
  void put(int into, std::optional<std::uintptr_t> value) { value_[into & 15] = value; }
  void forget_all() {
    for (auto& value : value_) value.reset();
  }

  std::optional<std::uintptr_t> value_[16];
};

// Where `code` is run from its begin to there, without a jump.
Constants constants_before(Function code, std::uintptr_t before);

}  // namespace weir::lane
