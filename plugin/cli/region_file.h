// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::cli {

// As team::no_region_waits(), of a program that does not run yet: of its file alone, so what it calls elsewhere is known by its name. For
// whoever decides what the program is to run on. False for what can't be told, as for a program that is not position independent.
bool no_region_of_program_waits(const char* file);

}  // namespace weir::cli
