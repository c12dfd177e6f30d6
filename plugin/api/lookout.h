// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "control/monitor.h"

namespace weir::api {

// What the machine says of its storage now.
control::Surroundings look_around();

// Looks around once a second at most and writes what it saw to the decision log. Costs some 100 us a look.
class Lookout {
 public:
  void look(int log, double t_s, std::int64_t storage_bytes);

 private:
  control::Surroundings last_;
  double last_s_ = -1;
  std::int64_t last_bytes_ = 0;
};

}  // namespace weir::api
