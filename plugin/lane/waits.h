// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lane/elf.h"

namespace weir::lane {

// Does the object ask for a function that may wait for a file, a socket, a clock, or that finds such a one by name? By what its
// imports are called, which is a guess: whoever asks may lose speed by a wrong one, no more.
bool may_wait(const Image& image);

// Does anything that is loaded, and is no run-time? Some 100 us where nothing does, less where something.
bool anything_may_wait();

// Does any of them ask for select, which has no room for numbers from FD_SETSIZE on?
bool anything_selects();

}  // namespace weir::lane
