// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "control/controller.h"

namespace weir::control {

// What the house counts, at one moment; whoever runs the loop reads it.
struct Reading {
  std::int64_t now_ns = 0;
  std::int64_t storage_ops = 0, storage_bytes = 0;  // so far
  std::int64_t blocked_ns = 0;                      // time calls waited, so far
  std::int64_t cpu_ns = 0;                          // of the process, so far
  std::int64_t held = 0, waiting = 0;               // permits out, and callers that want one, now
  std::uint64_t region = 0;                         // now
};

// Feeds a controller from readings, and says what to do until the next: the limit, and how long to sleep. Pure, as the
// controller is; the thread around it is api's.
//
//   probing, holding: a sample a turn --waiting is < 2 % of the time--> passing through, wide open --it waits again--+
//     ^    ^                         --nothing completed for 2 s-----> asleep, until a caller finds no permit --+    |
//     |    +-------------------------------------------------------------------------------------------------+    |
//     +-----------------------------------------------------------------------------------------------------------+
class Loop {
 public:
  Loop(Algorithm algorithm, const Bounds& bounds, const IopaTuning& iopa = {});

  struct Turn {
    int limit = 1;
    std::int64_t sleep_ns = 0;  // < 0: until called
    bool decided = false;       // `sample` was put to the controller, and `decision` came of it
    Sample sample;
    Decision decision;
  };
  Turn turn(const Reading& reading);

  // The limit until the first turn, by what was moved since the first such look; asked each `sleep_ns`.
  Turn at_first(const Reading& reading);

  // The next reading is compared with none before it.
  void start_anew() { begun_ = false; }

 private:
  Sample sample_between(const Reading& a, const Reading& b) const;
  bool region_is_clear(const Reading& reading);
  bool passes_through(const Sample& sample);

  Controller controller_;
  Bounds bounds_;
  Reading first_, last_;
  bool begun_ = false;
  int limit_;
  double idle_s_ = 0;       // nothing completed
  double unblocked_s_ = 0;  // next to nothing waited
  bool passing_ = false;
  int mixed_ = 0;           // turns in a row during which the region changed
};

}  // namespace weir::control
