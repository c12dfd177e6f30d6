// SPDX-License-Identifier: Apache-2.0
// Two long sequences against each other: the matrix is computed tile by tile, in parallel.
#pragma once

#include <cstddef>
#include <string>

#include "kernel.h"
#include "kit/team.h"
#include "wavefront.h"

namespace smith_waterman {

struct PairPlan {
  std::string rows, columns;  // FASTA files; the first sequence of each
  std::string output;         // FASTA: the aligned parts, with dashes
  std::size_t tile;           // rows and columns of a tile
  Simd simd;
  Way way;
  unsigned threads;
};

struct Outcome {
  std::uint64_t checksum;
  std::uint64_t items;
};

// Reads, aligns, writes. Items are tiles. Prints the score, and what was computed a second. Throws what
// reading and writing throw.
Outcome align_pair(const PairPlan& plan, const Scoring& scoring);

}  // namespace smith_waterman
