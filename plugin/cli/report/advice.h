// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/report/record.h"

namespace weir::cli {

// One thing that kept weir from helping more.
struct Advice {
  std::string reason;     // as the report names it
  double seconds = 0;     // lost to it
  bool timed = false;     // are the seconds known? Older reports have counts alone
  double calls = 0;
  bool unseen = false;    // weir was kept from seeing any of the calls, so whether they waited is not known
  std::string what;       // a sentence
  std::string action;     // what to do about it, a sentence; "" when there is nothing
  std::vector<std::string> where;  // call sites, or the names that led to it; the costliest first
};

// All of a process, by seconds lost, then by calls.
std::vector<Advice> advice_of(const Record& record);

// As `weir run --explain` prints it, each line behind "weir: ".
std::string advice_text(const std::vector<Advice>& all);

}  // namespace weir::cli
