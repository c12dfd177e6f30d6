// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "omp_ext/libomp.h"

namespace weir::omp {

// gcc's array of dependences, one at a time in libomp's form.
class GompDepends {
 public:
  explicit GompDepends(void** array);
  std::int32_t count() const { return static_cast<std::int32_t>(total_); }
  Depend operator[](std::size_t i) const;

 private:
  void** addresses_;
  std::size_t total_, outs_, mutexes_ = 0, ins_;
};

}  // namespace weir::omp
