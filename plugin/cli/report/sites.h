// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/report/record.h"

namespace weir::cli {

// Adds "function", "file" and "line" to call sites and regions of a record where its objects have symbols and debug
// information. Regions take their "name" from these.
void name_code(Record& record);

// A call site in one line: "function (file.cpp:12)", or what is known of it.
std::string place_of(const Json& site);

}  // namespace weir::cli
