// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace weir::cli {

// What `weir run` does when the program has ended.
struct Aftermath {
  std::string page;      // write the page of the run here; "" for none
  bool explain = false;  // say what kept weir from helping more
  std::string without_weir;  // why the program runs without weir, and what to do about it; "": it does not
  std::string report;    // where the program was told to write its report; "": to nowhere, so a place is found

  bool wanted() const { return explain || !page.empty(); }
};

// Is this the name of a page, not of a report?
bool names_page(const std::string& file);

// Runs `start(report, context)` as a child, which is to exec the program with its report going to `report`, and then does
// what is wanted. Where no report can be had it says so, and `start` gets "". Returns the exit status; where the program died of a signal, so does this process.
int run_with_aftermath(const Aftermath& wanted, int (*start)(const std::string& report, void* context), void* context);

}  // namespace weir::cli
