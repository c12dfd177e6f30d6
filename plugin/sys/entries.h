// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace weir::sys {

// A program that is linked to no OpenMP run-time, or no libtbb, may load libraries that are, each for itself: extensions of Python
// bring a libgomp each. The loader looks for the names they call in what the program began with, so all of them find ours; and the
// names that weir has not are each library's own. Ours must not go on to one run-time for all: a thread of the one would be in a
// loop of the other.
//
// So in such a program the names of that run-time stand for entries in front of ours, before anything is loaded. An entry looks who
// calls: who has another run-time than the one that weir serves is sent on to that.
//
//   a library's call -> entry i -> weir_entry_target(i, who calls) -> its own run-time's function, or ours
//
// Who calls is told by the address that the call returns to. A function that ends in such a call leaves that of its own caller.
struct Runtime {
  bool (*has)(const char* name);  // is it one of this run-time's names?
  const char* probe;              // a name that each such run-time has
  // `own` is the probe as the object of `caller` has it without us: is that one that weir does not serve?
  bool (*is_apart)(void* own, const void* caller);
};

// Before there is a second thread. At most two, and what they point to has to stay.
void put_entries_in_front(const Runtime& runtime);

}  // namespace weir::sys
