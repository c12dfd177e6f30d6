// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::team {

// Has libomp taken us as its tool? Only then are threads' places known, and only then are teams widened.
bool tool_active();

// Which tool we stepped aside for; nullptr: none.
const char* stepped_aside_for();
// Or because no region of the program reaches a call that may wait?
bool stepped_aside_for_computing();

}  // namespace weir::team
