// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::control {

// What was seen since the sample before: all that a decision rests on.
struct Sample {
  double dt_s = 0;     // since the sample before
  double ops = 0;      // storage operations completed
  double bytes = 0;    // bytes they moved
  double busy = 0;     // mean number of workers running or blocked in I/O: not idle for lack of work
  double blocked = 0;  // of these, blocked in I/O
  double cpu = 0;      // mean number of cores the process kept busy
  double level = 0;    // mean concurrency in effect: an actuator lags behind what was asked
  std::uint64_t region = 0;  // names the code that ran; 0: no name for it
};

// The sample as a log can hold it, to the millionth; what is no number becomes 0. Decisions are made from such samples
// only, so that a log replays exactly.
Sample as_logged(const Sample& sample);

// What a controller is asked to stay within.
struct Bounds {
  int cores = 1;
  int most = 128;  // the highest limit it may set
  int start = 0;   // the first limit; 0: of the controller's choice
  int start_kib = 0;  // and no more than move so much at a time; 0: whatever they move
};

enum class State : std::uint8_t { fast, normal, hold, relocate };
const char* name_of(State state);

}  // namespace weir::control
