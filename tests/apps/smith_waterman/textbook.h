// SPDX-License-Identifier: Apache-2.0
// The recurrence as Gotoh (1982) and every textbook write it, with the whole matrix kept: what the program's
// scores are compared with. Shares nothing with it but the pair scores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "scoring.h"

namespace smith_waterman {

inline int textbook_score(const Codes& a, const Codes& b, const Scoring& scoring) {
  constexpr int never = -1'000'000;
  const std::size_t rows = a.size() + 1, columns = b.size() + 1;
  std::vector<std::vector<int>> h(rows, std::vector<int>(columns, 0));
  std::vector<std::vector<int>> e(rows, std::vector<int>(columns, never)), f = e;
  int best = 0;
  for (std::size_t i = 1; i < rows; ++i) {
    for (std::size_t j = 1; j < columns; ++j) {
      e[i][j] = std::max(e[i][j - 1] - scoring.gap_extend, h[i][j - 1] - scoring.gap_open);
      f[i][j] = std::max(f[i - 1][j] - scoring.gap_extend, h[i - 1][j] - scoring.gap_open);
      h[i][j] = std::max({0, h[i - 1][j - 1] + scoring.pair[a[i - 1]][b[j - 1]], e[i][j], f[i][j]});
      best = std::max(best, h[i][j]);
    }
  }
  return best;
}

// What an alignment is worth by the rules: pairs, and gaps counted along each row of dashes.
inline int worth(const std::string& a, const std::string& b, const Scoring& scoring) {
  const Codes a_codes = encode(a), b_codes = encode(b);
  int sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool gap_a = a[i] == '-', gap_b = b[i] == '-';
    const bool goes_on = i > 0 && ((gap_a && a[i - 1] == '-') || (gap_b && b[i - 1] == '-'));
    if (gap_a || gap_b)
      sum -= goes_on ? scoring.gap_extend : scoring.gap_open;
    else
      sum += scoring.pair[a_codes[i]][b_codes[i]];
  }
  return sum;
}

inline std::string without_gaps(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '-'), text.end());
  return text;
}

}  // namespace smith_waterman
