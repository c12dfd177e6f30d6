// SPDX-License-Identifier: Apache-2.0
#include "scoring.h"

#include <algorithm>

namespace smith_waterman {

namespace {

constexpr std::string_view blosum_letters = "ARNDCQEGHILKMFPSTWYVBZX*";

// The lower triangle, a row a letter.
constexpr std::int8_t blosum_triangle[] = {
    4,                                                                                               // A
    -1, 5,                                                                                           // R
    -2, 0,  6,                                                                                       // N
    -2, -2, 1,  6,                                                                                   // D
    0,  -3, -3, -3, 9,                                                                               // C
    -1, 1,  0,  0,  -3, 5,                                                                           // Q
    -1, 0,  0,  2,  -4, 2,  5,                                                                       // E
    0,  -2, 0,  -1, -3, -2, -2, 6,                                                                   // G
    -2, 0,  1,  -1, -3, 0,  0,  -2, 8,                                                               // H
    -1, -3, -3, -3, -1, -3, -3, -4, -3, 4,                                                           // I
    -1, -2, -3, -4, -1, -2, -3, -4, -3, 2,  4,                                                       // L
    -1, 2,  0,  -1, -3, 1,  1,  -2, -1, -3, -2, 5,                                                   // K
    -1, -1, -2, -3, -1, 0,  -2, -3, -2, 1,  2,  -1, 5,                                               // M
    -2, -3, -3, -3, -2, -3, -3, -3, -1, 0,  0,  -3, 0,  6,                                           // F
    -1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4, 7,                                       // P
    1,  -1, 1,  0,  -1, 0,  0,  0,  -1, -2, -2, 0,  -1, -2, -1, 4,                                   // S
    0,  -1, 0,  -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 1,  5,                               // T
    -3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1, 1,  -4, -3, -2, 11,                          // W
    -2, -2, -2, -3, -2, -1, -2, -3, 2,  -1, -1, -2, -1, 3,  -3, -2, -2, 2,  7,                       // Y
    0,  -3, -3, -3, -1, -2, -2, -3, -3, 3,  1,  -2, 1,  -1, -2, -2, 0,  -3, -1, 4,                   // V
    -2, -1, 3,  4,  -3, 0,  1,  -1, 0,  -3, -4, 0,  -3, -3, -2, 0,  -1, -4, -3, -3, 4,               // B
    -1, 0,  0,  1,  -3, 3,  4,  -2, 0,  -3, -3, 1,  -1, -3, -1, 0,  -1, -3, -2, -2, 1,  4,           // Z
    0,  -1, -1, -1, -2, -1, -1, -1, -1, -1, -1, -1, -1, -1, -2, 0,  0,  -2, -1, -1, -1, -1, -1,      // X
    -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, 1};  // *

std::uint8_t code_of(char letter) {
  const char upper = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  return upper >= 'A' && upper <= 'Z' ? static_cast<std::uint8_t>(upper - 'A') : std::uint8_t{alphabet - 1};
}

}  // namespace

Codes encode(std::string_view residues) {
  Codes codes(residues.size());
  std::transform(residues.begin(), residues.end(), codes.begin(), code_of);
  return codes;
}

int Scoring::highest() const {
  int highest = 0;
  for (const auto& row : pair) highest = std::max<int>(highest, *std::max_element(row.begin(), row.end()));
  return highest;
}

Scoring blosum62(int gap_open, int gap_extend) {
  Scoring scoring;
  scoring.gap_open = gap_open;
  scoring.gap_extend = gap_extend;
  const auto place_of = [](int code) {
    const char letter = code == alphabet - 1 ? '*' : static_cast<char>('A' + code);
    const auto place = blosum_letters.find(letter);
    return static_cast<int>(place == std::string_view::npos ? blosum_letters.find('X') : place);
  };
  for (int a = 0; a < alphabet; ++a) {
    for (int b = 0; b < alphabet; ++b) {
      const int low = std::min(place_of(a), place_of(b)), high = std::max(place_of(a), place_of(b));
      scoring.pair[a][b] = blosum_triangle[high * (high + 1) / 2 + low];
    }
  }
  return scoring;
}

Scoring match_mismatch(int match, int mismatch, int gap_open, int gap_extend) {
  Scoring scoring;
  scoring.gap_open = gap_open;
  scoring.gap_extend = gap_extend;
  for (int a = 0; a < alphabet; ++a) {
    for (int b = 0; b < alphabet; ++b)
      scoring.pair[a][b] = static_cast<std::int8_t>(a == b ? match : mismatch);
  }
  return scoring;
}

}  // namespace smith_waterman
