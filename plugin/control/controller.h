// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "control/core.h"
#include "control/iopa.h"
#include "control/sample.h"

namespace weir::control {

enum class Algorithm : std::uint8_t { weir, iopa };

struct Decision {
  int limit = 1;
  State state = State::fast;
  const char* reason = "";
};

// One Core a region, found by the sample's region: only that of the region that runs steps, the others stand still.
// Where several regions run at once, whoever samples names the set of them (meter::regions): the set has a Core of its
// own, and its members share the permits first come, first served.
// The same rules as a Core's: no clock, no thread, no lock, no allocation.
class Controller {
 public:
  Controller(Algorithm algorithm, const Bounds& bounds, const Tuning& tuning = {}, const IopaTuning& iopa = {});
  Decision step(const Sample& sample);
  double patience_s() const;  // until the next sample is of use

 private:
  static constexpr int most_regions = 32;
  struct Slot {
    std::uint64_t region = 0;
    std::uint64_t used = 0;  // turn it was last used in; 0: free
    Core core;
  };
  Slot& slot_for(const Sample& sample);

  Algorithm algorithm_;
  Bounds bounds_;
  Tuning tuning_;
  Iopa iopa_;
  std::uint64_t turn_ = 0;
  Slot* current_ = nullptr;
  Slot slots_[most_regions];
};

// bounds.start, or as many operations like these as move bounds.start_kib.
int start_for(const Bounds& bounds, double ops, double bytes);
int least_start(const Bounds& bounds);  // of the longest

// The limit that a controller begins with, before any sample.
int first_limit(Algorithm algorithm, const Bounds& bounds, const IopaTuning& iopa);

}  // namespace weir::control
