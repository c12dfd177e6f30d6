// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

namespace weir::sys {

// The descriptors that we keep open. To the program their numbers are free: it may "close all", or put a descriptor of
// its own there, and must never find what we write. So close passes ours over, and dup2 makes them move.
enum class Own { wake, ring, trace, count };

// The number it has now; -1: there is none. Ask anew at each use.
int own(Own which);
void set_own(Own which, int fd);

bool is_own(int fd);
// The lowest of ours that is not below `from`, or -1.
int next_own(unsigned from);
// A program counts on the low numbers: it gets the lowest that is free, and may close "every one from 3 on". What we open goes
// to a high one, from this on.
constexpr int first_of_ours = 1000;
// A copy there; -errno: there is no room.
Result copied_up(int fd);
// Moves it there, or as high as there is room. Returns the number it has then.
int moved_up(int fd);
// The kernel's table of a process's descriptors grows with the highest number. Where there are threads it waits for RCU then, and with it
// whoever needs a number beyond the old end. Called while there is one thread, this waits for nothing: what moved_up() takes has room
// then, and so has a program that opens hundreds of files at a time. Once is enough.
void make_room();
void room_after_fork();  // in the child: its table is as small as can be
// If the number is one of ours, that goes to another number. Who asked for its number just before may still use the old.
void make_way(int fd);

}  // namespace weir::sys
