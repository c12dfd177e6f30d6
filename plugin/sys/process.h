// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::sys {

std::int32_t process_id();
std::int32_t thread_id();           // asks the kernel
std::int32_t known_thread_id();     // the same, asked for once by each thread
void yield();                       // lets other threads have the core first; nobody's sched_yield
int usable_cores();                 // from the affinity mask of the calling thread, >= 1
bool is_readable(const void* byte);
// The same of eight bytes, by what no sandbox forbids.
bool may_be_read(const void* word); // of this process's memory; where the kernel doesn't tell: no
std::int64_t process_cpu_ns();      // CLOCK_PROCESS_CPUTIME_ID
std::int64_t thread_cpu_ns();       // CLOCK_THREAD_CPUTIME_ID
std::int64_t thread_sleeps();       // how often the calling thread has gone to sleep, as the kernel counts; 0: never, or it does not count

// Starts a detached thread of ours: all signals blocked, small stack, named. 0 or -errno.
int start_thread(void (*body)(void*), void* argument, const char* name);

// Starts a detached thread that will run the program's own code: the caller's signal mask, its calls are the program's. With a
// stack of 256 KiB at least.
int start_program_thread(void (*body)(void*), void* argument, const char* name, std::size_t stack_bytes = 0);

}  // namespace weir::sys
