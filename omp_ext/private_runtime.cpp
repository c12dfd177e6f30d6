// SPDX-License-Identifier: Apache-2.0
// Libraries with an OpenMP run-time of their own, in a program without one (sys/entries.h): gcc's code has its own libgomp. Whose
// run-time is LLVM's is served, whichever came first.
#include "base/names.h"
#include "sys/entries.h"
#include "sys/loader.h"

// Both run-times have it, and weir has not: is one among what the program began with?
extern "C" __attribute__((weak)) void GOMP_parallel_start(void (*)(void*), void*, unsigned);

namespace weir::omp {
namespace {

// Those that clang's code alone calls can only mean LLVM's run-time.
bool is_gccs(const char* name) { return base::starts(name, "GOMP_") || base::starts(name, "omp_"); }

bool is_libgomp(void* own, const void*) { return !sys::definition_near(own, "__kmpc_fork_call"); }

constexpr sys::Runtime runtime{is_gccs, "omp_get_thread_num", is_libgomp};

__attribute__((constructor(101))) void begin() {
  if (!GOMP_parallel_start) sys::put_entries_in_front(runtime);
}

}  // namespace
}  // namespace weir::omp
