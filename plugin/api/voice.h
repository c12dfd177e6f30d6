// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/log.h"

namespace weir::api {

// Remembers what stderr is: a program may open something of its own under its number. Call once, early.
void know_stderr();

// Keeps a descriptor of it: programs (all of GNU coreutils) close theirs before our last line is due. Only if asked to speak.
void keep_stderr();

// In a forked child: the copy goes. A child that becomes a daemon closes what it knows of, and whoever reads the other end of
// a pipe waits for that.
void voice_after_fork();

// Writes the line to what stderr was at first; nowhere, if that is gone, or nobody reads it.
void tell(const base::Line& line);

// The same, on a terminal at the beginning of a line, also where the program's last one has no end.
void tell_on_new_line(const base::Line& line);

}  // namespace weir::api
