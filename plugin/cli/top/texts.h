// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meter/page.h"

namespace weir::cli {

// One process at one look.
struct Row {
  long process = 0;
  std::string command;
  meter::Shown now{}, before{};  // before.now_ns == 0: there was no look before; then rates are since the start
  bool answers = true;
  std::vector<std::string> places;  // of its call sites, in their order
};

// A foreign text for a terminal: what is not printable ASCII becomes '?', an end of line at its end goes.
std::string printable(const std::string& text);

// The view: a line of headings, a line a process, and for a single one what there is besides.
std::vector<std::string> view(const std::vector<Row>& rows, bool in_detail);

}  // namespace weir::cli
