// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::lane {

// What is known about names, as tables. A library is told by the start of its file name.

// A path's part after its folders.
const char* file_name(const char* path);

// Is it one of the runtimes whose own thread state weir knows how to live with?
bool is_runtime(const char* file_name);

// Does it run tasks: OpenMP's, or oneTBB?
bool is_tasking_runtime(const char* file_name);

// With more threads at it, do some get nothing? It tries again and again for what one of its callers has, and gives up after a time
// (SQLite); or has room for so many threads that read (LMDB: for 126, or as many as it was told).
bool fails_some_of_many(const char* file_name);

// A library whose users must not change threads, or share one, in the middle of a call: what it is, or nullptr.
const char* thread_bound_library(const char* file_name);

// An import that asks for, or changes, what belongs to the calling thread: what it does, or nullptr.
const char* thread_bound_import(const char* name);

// Does this library ask for that name without minding which thread it is on, whatever waits?
bool is_harmless_import(const char* file_name, const char* name);

// Has an object with so many bytes of thread-local storage something that is not the same for each thread?
bool keeps_storage(const char* file_name, std::uint64_t bytes);

// Is it this name of OpenMP's, in C's spelling or in Fortran's, which has a `_` at the end?
bool is_name(const char* import, const char* name);

// A thread-local variable of a runtime that inlined library code uses without keeping it over a call.
bool is_harmless_thread_variable(const char* name);

}  // namespace weir::lane
