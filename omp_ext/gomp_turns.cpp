// SPDX-License-Identifier: Apache-2.0
// Where loops with `ordered` start, in code by gcc. (Their pieces come by way of __kmpc_dispatch_next_8, from within libomp.)
#include <cstdint>

#include "omp_ext/libomp.h"
#include "omp_ext/next.h"
#include "omp_ext/turns.h"

namespace weir::omp {
namespace {

using Start = bool(long, long, long, long, long*, long*);
constinit Next<Start> start_static{"GOMP_loop_ordered_static_start"};
constinit Next<Start> start_dynamic{"GOMP_loop_ordered_dynamic_start"};
constinit Next<Start> start_guided{"GOMP_loop_ordered_guided_start"};
constinit Next<bool(long, long, long, long*, long*)> start_runtime{"GOMP_loop_ordered_runtime_start"};
constinit Next<bool(long, long, long, long, long, long*, long*, std::uintptr_t*, void**)> start_any{"GOMP_loop_ordered_start"};

void begins(long first, long step) { team::begins_turns_if_wide(static_cast<std::uint64_t>(first), step); }

bool begin(Next<Start>& start, long first, long end, long step, long chunk, long* from, long* to) {
  begins(first, step);
  return start(first, end, step, chunk, from, to);
}

}  // namespace
}  // namespace weir::omp

using namespace weir::omp;

#define LOOP long first, long end, long step, long chunk, long *from, long *to
#define ITS_LOOP first, end, step, chunk, from, to
WEIR_INTERPOSED bool GOMP_loop_ordered_static_start(LOOP) { return begin(start_static, ITS_LOOP); }
WEIR_INTERPOSED bool GOMP_loop_ordered_dynamic_start(LOOP) { return begin(start_dynamic, ITS_LOOP); }
WEIR_INTERPOSED bool GOMP_loop_ordered_guided_start(LOOP) { return begin(start_guided, ITS_LOOP); }
WEIR_INTERPOSED bool GOMP_loop_ordered_runtime_start(long first, long end, long step, long* from, long* to) {
  begins(first, step);
  return start_runtime(first, end, step, from, to);
}
WEIR_INTERPOSED bool GOMP_loop_ordered_start(long first, long end, long step, long schedule, long chunk, long* from, long* to,
                                             std::uintptr_t* reductions, void** memory) {
  begins(first, step);
  return start_any(first, end, step, schedule, chunk, from, to, reductions, memory);
}
