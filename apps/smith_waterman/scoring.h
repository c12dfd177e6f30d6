// SPDX-License-Identifier: Apache-2.0
// What an alignment is worth: residues as small codes, a score for each pair, and affine gaps.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace smith_waterman {

// Letters are 0..25 in either case; everything else ('*', '-') is 26.
inline constexpr int alphabet = 27;
using Codes = std::vector<std::uint8_t>;

Codes encode(std::string_view residues);

struct Scoring {
  std::array<std::array<std::int8_t, alphabet>, alphabet> pair{};
  // A gap of k residues costs gap_open + (k - 1) * gap_extend. Both positive, gap_open >= gap_extend.
  int gap_open = 11;
  int gap_extend = 1;

  int highest() const;  // the best any pair scores
};

// Henikoff and Henikoff 1992. Letters without a row of their own (J, O, U) score as X.
Scoring blosum62(int gap_open, int gap_extend);
Scoring match_mismatch(int match, int mismatch, int gap_open, int gap_extend);

}  // namespace smith_waterman
