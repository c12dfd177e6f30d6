// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::sys {

// What the kernel says of a thread of this process in its file of that name, as text. False: nothing.
bool told_of(std::int32_t tid, const char* name, char* text, std::size_t room);

// Its name and its state ('R' runs or could run, 'S' sleeps, 'Z' has ended), from its `stat`; state 0: nothing is known.
struct ThreadState {
  char name[16];
  char state;
};
ThreadState state_of(std::int32_t tid);

// A thread that weir started (sys/process.h), while it runs. Its name is no sign of it: a thread inherits its creator's, and a
// program may be called as one of ours.
struct OwnThread {
  OwnThread* next = nullptr;
  std::int32_t tid = 0;
};
void enlist(OwnThread& thread);
void strike_off(OwnThread& thread);
bool is_own_thread(std::int32_t tid);
void own_threads_after_fork();

// Calls visit(argument, tid) for each thread that the kernel lists, until it says false. False if there is no list.
bool each_thread(bool (*visit)(void* argument, std::int32_t tid), void* argument);

}  // namespace weir::sys
