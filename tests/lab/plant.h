// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "control/sample.h"

// A simulated device and program: throughput as a function of concurrency, with noise, delay and what may happen to it.
namespace lab {

constexpr double dt_s = 0.05;
constexpr int kmax = 128;

using Curve = std::vector<double>;  // operations a second at concurrency 0 .. kmax

// What holds at a moment of simulated time.
struct Moment {
  const Curve* curve = nullptr;
  double capacity = 1;
  double demand = 1e18;        // operations a second that the program asks for at most
  double op_bytes = 65536;
  std::uint64_t region = 0;
  double fixed = 0;            // > 0: this throughput, whatever the concurrency
};

struct Plant {
  std::string name;
  double bar = 0;                           // regret in percent that a run of 600 s may have
  std::vector<Curve> curves = {};
  std::function<Moment(const Plant&, double t)> at = {};  // by default: the first curve
  double fast_noise = 0.08, slow_noise = 0.03;
  double square_period = 0, square_share = 0;
  int cores = 16, delay_up = 1, delay_down = 2;      // ticks until what was asked begins to act
  double compute_ms = 0;                    // processor time an operation takes
  bool compute_only = false;
};

struct Outcome {
  double regret = 0;      // percent of the operations of the best concurrency of every moment, lost
  double settled_s = 1e9; // from then on, ten seconds long, less than 5 % was lost
  int last_k = 0;         // median of the second half
  int moves = 0;
};

using Brain = std::function<int(const weir::control::Sample&)>;  // a sample in, the concurrency wanted out
Outcome run(const Plant& plant, const Brain& brain, double seconds, unsigned seed);

std::vector<Plant> plants();   // those with a bar
std::vector<Plant> variants(); // others of the same kinds, to see what was not tuned for

}  // namespace lab
