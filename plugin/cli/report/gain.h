// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/report/record.h"

namespace weir::cli {

// What was gained, as far as a run by itself tells: whether the program waited and computed more than its own threads could have
// meanwhile (docs/report.md).
struct Gain {
  double hidden_s = 0;   // without waits for a permit, which there are none of without weir
  double wall_s = 0;
  double without_s = 0;  // in so long its own threads wait and compute as much
  long threads = 0;      // so many of these; 0: not known, as in older reports
  bool is_known() const { return threads > 0; }
  bool is_any() const;   // if known
  bool is_worth_a_word() const;  // was anything to speak of hidden?
};

Gain gain_of(const Record& record);

// "for which its 2 threads would take some 3.1 s", or that it is no more than they do without weir; "" where it is not known.
std::string in_words(const Gain& gain);

// As `weir run --explain` prints it, behind "weir: ": what was gained, or that no call waited in a region, and what it did instead;
// "" where there is no more to say of it than the reasons do.
std::string gain_text(const Record& record);

}  // namespace weir::cli
