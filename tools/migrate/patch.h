// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "graph.h"

namespace weir::migrate {

// The text of a file with the edits done, and weir's header included.
std::string edited(const std::string& text, const std::map<unsigned, Edit>& edits);

// The unified diff of the two; edited() only changes lines and adds one.
std::string difference(const std::string& file, const std::string& before, const std::string& after);

}  // namespace weir::migrate
