// SPDX-License-Identifier: Apache-2.0
// The recurrence of Smith and Waterman with Gotoh's affine gaps, for one rectangle of the matrix:
//
//   H(i,j) = max(0, H(i-1,j-1) + pair(row i, column j), E(i,j), F(i,j))
//   E(i,j+1) = max(E(i,j) - extend, H(i,j) - open)     a gap along the row
//   F(i+1,j) = max(F(i,j) - extend, H(i,j) - open)     a gap down the column
//
// A rectangle takes what its upper, left and upper-left neighbours leave and leaves the same to its own. All
// border values are true scores, zero and up: a gap that is worth less than nothing is the same as none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "scoring.h"

namespace smith_waterman {

enum class Simd { scalar, sse41, avx2 };

Simd best_simd();  // what this processor has
bool parse_simd(std::string_view,
                Simd&);  // "auto", "scalar", "sse41" or "avx2"; false: unknown, or not had here

// The pair scores of some rows against each letter, in the order in which a vector kernel takes them (Farrar
// 2007): row r lies in lane r / segments of vector r % segments. Made once for many rectangles.
class Profile {
 public:
  // `rows` must outlive the profile.
  Profile(std::span<const std::uint8_t> rows, const Scoring& scoring, Simd simd);
  Profile(Profile&&) = default;
  Profile(const Profile&) = delete;  // the alignment of the vectors would be lost

  std::span<const std::uint8_t> rows;
  Simd simd;
  std::size_t segments16 = 0, segments8 = 0;
  std::vector<std::int16_t> scores16;  // [letter][segment][lane]
  std::vector<std::int8_t> scores8;
};

struct Borders {
  std::int32_t corner = 0;     // H above and left of the first cell
  const std::int32_t* top_h;   // H of the row above, a value a column
  const std::int32_t* top_f;   // F entering the first row
  const std::int32_t* left_h;  // H of the column to the left, a value a row
  const std::int32_t* left_e;  // E entering the first column
  std::int32_t *bottom_h,
      *bottom_f;                    // the same, left to the neighbour below; may be null where there is none
  std::int32_t *right_h, *right_e;  // to the neighbour on the right; may be null
};

// Rectangles whose bottom border is wanted have a height that this divides.
inline constexpr std::size_t height_unit = 16;

// Computes one rectangle and returns the highest H in it.
// `bottom_*` are written by the vector kernels only where the height is a multiple of height_unit.
std::int32_t score_tile(const Profile& profile, std::span<const std::uint8_t> columns, const Scoring& scoring,
                        const Borders& borders);

// The score of the best local alignment of the profile's rows with `columns`, nothing else kept.
std::int32_t score(const Profile& profile, std::span<const std::uint8_t> columns, const Scoring& scoring);

// What each vector file offers. `lowest` means a true score of `base`; results saturate at the highest value
// of the type.
struct StripedTile {
  const void* scores;  // of the profile, first letter
  std::size_t segments;
  std::size_t height;
  std::span<const std::uint8_t> columns;
  int gap_open, gap_extend;
  std::int32_t base;
  const Borders* borders;  // null: all zero in, nothing out
};
std::int32_t striped16_sse41(const StripedTile&);
std::int32_t striped8_sse41(const StripedTile&);
std::int32_t striped16_avx2(const StripedTile&);
std::int32_t striped8_avx2(const StripedTile&);
inline constexpr std::int32_t most8 = 255, most16 = 65535;  // above base; reaching it means: does not fit

}  // namespace smith_waterman
