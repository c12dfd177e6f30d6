// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::tbb {

// Which threads are in libtbb, where they may run tasks: its workers all their life, and others while an algorithm of theirs lasts. The
// program's other threads compute beside them, and are not among those whose number it says.

// The calling thread is from now on, and is no more. Not one within the other.
void comes_inside();
void goes_outside();

// Is the thread with this kernel id? True also where there are more than can be told apart.
bool is_inside(std::int32_t tid);

}  // namespace weir::tbb
