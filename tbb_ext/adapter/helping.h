// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tbb_ext/adapter/arenas.h"

namespace weir::tbb {

// Where the program says how many threads there are, or has an observer that sees each of them, all may come to block where only a
// thread can wait (with a lock held, in another arena, as tasks that keep the address of errno) for what a task does that is ready.
// No thread of libtbb's comes. So one of ours goes into the arena, has one such task go on, and leaves; if none that is in
// libtbb computes. An arena of as few slots has no room for it.

// A task is set aside in this arena, of that name, where the calling thread is, and counted already: ours must be able to come in.
void keep_door(Arena& arena, void* name);
// None is any more.
void close_door(Arena& arena);

// Ready tasks have not gone on for long. Until none is aside, or that was not so for a while. On a thread of ours.
void help_out(int (*anybody_computes)());

}  // namespace weir::tbb
