// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::sys {

// While it lives, a write of its thread to a pipe that nobody reads any more, or beyond the largest file allowed, only fails:
// for what the program does not write. A signal would end it.
class Unsignalled {
 public:
  Unsignalled();
  ~Unsignalled();
  Unsignalled(const Unsignalled&) = delete;
  Unsignalled& operator=(const Unsignalled&) = delete;

 private:
  std::uint64_t mask_ = 0;
  std::uint64_t pending_ = 0;
};

}  // namespace weir::sys
