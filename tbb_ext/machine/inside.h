// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::tbb {

// Which threads are in libtbb, where they may run tasks: its workers all their life, and others while an algorithm of theirs lasts. The
// program's other threads compute beside them, and are not among those whose number it says.

// The calling thread is from now on, and is no more. Not one within the other.
void comes_inside();
void goes_outside();

// Has what runs on the calling thread, which is in libtbb, begun an OpenMP region, or did a task of OpenMP's come to libtbb there?
bool is_in_openmp_too();

// Is the thread with this kernel id? True also where there are more than can be told apart.
bool is_inside(std::int32_t tid);

}  // namespace weir::tbb
