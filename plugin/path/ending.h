// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::path {

// A task is about to wait at what this number stands for, by way of the driver; on a guess, if it was not asked whether it may. And it
// has waited.
void waits_at(int fd, bool on_a_guess);
void waited_at(int fd, bool on_a_guess);
bool is_waited_at(int fd);

// The number is about to be closed, or to stand for another, by the calling thread. What the driver was handed of it before is then
// the kernel's, which holds on to what the number stood for; and what was a guess is asked while there is somebody to be asked.
// (What the last look at bytes found stays: where files are read one after the other, the next is likely as cold.)
void number_ends(int fd);
void numbers_end(unsigned first, unsigned last);

// In a forked child: nobody waits here.
void endings_after_fork();

// It stands for something new, whose end before we may not have seen, or waits otherwise than it did: no guess holds.
void forget_number(int fd);

}  // namespace weir::path
