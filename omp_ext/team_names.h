// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lane/asks.h"
#include "lane/elf.h"
#include "omp_ext/team_program.h"

// What one object adds to what is known of its program's teams, be it loaded or a file.
namespace weir::team {

// By its imports and headers; `file_name`: without folders.
void add_names(Program& program, const lane::Image& image, const char* file_name);

// Does its code say more?
bool asks_for_numbers(const lane::Image& image);
void add_asks(Program& program, const lane::Asks& asks);

}  // namespace weir::team
