// SPDX-License-Identifier: Apache-2.0
// The next piece of a dynamic or guided loop, in code by gcc, and the first, which comes with the start. (What OMP_SCHEDULE says may
// be static.)
#include "omp_ext/libomp.h"
#include "omp_ext/loop_piece.h"
#include "omp_ext/next.h"

namespace weir::omp {
namespace {

using Signed = bool(long*, long*);
using Unsigned = bool(unsigned long long*, unsigned long long*);

constinit Next<Signed> next_dynamic{"GOMP_loop_dynamic_next"};
constinit Next<Signed> next_guided{"GOMP_loop_guided_next"};
constinit Next<Signed> next_nonmonotonic_dynamic{"GOMP_loop_nonmonotonic_dynamic_next"};
constinit Next<Signed> next_nonmonotonic_guided{"GOMP_loop_nonmonotonic_guided_next"};
constinit Next<Unsigned> next_ull_dynamic{"GOMP_loop_ull_dynamic_next"};
constinit Next<Unsigned> next_ull_guided{"GOMP_loop_ull_guided_next"};
constinit Next<Unsigned> next_ull_nonmonotonic_dynamic{"GOMP_loop_ull_nonmonotonic_dynamic_next"};
constinit Next<Unsigned> next_ull_nonmonotonic_guided{"GOMP_loop_ull_nonmonotonic_guided_next"};

using Start = bool(long, long, long, long, long*, long*);
constinit Next<Start> start_dynamic{"GOMP_loop_dynamic_start"};
constinit Next<Start> start_guided{"GOMP_loop_guided_start"};
constinit Next<Start> start_nonmonotonic_dynamic{"GOMP_loop_nonmonotonic_dynamic_start"};
constinit Next<Start> start_nonmonotonic_guided{"GOMP_loop_nonmonotonic_guided_start"};

template <typename F, typename Number>
bool next_piece(Next<F>& next, Number* from, Number* to) {
  return team::next_piece(true, [&] { return next(from, to); });
}

bool first_piece(Next<Start>& start, long first, long end, long step, long chunk, long* from, long* to) {
  return team::next_piece(true, [&] { return start(first, end, step, chunk, from, to); });
}

}  // namespace
}  // namespace weir::omp

using namespace weir::omp;

WEIR_INTERPOSED bool GOMP_loop_dynamic_next(long* from, long* to) { return next_piece(next_dynamic, from, to); }
WEIR_INTERPOSED bool GOMP_loop_guided_next(long* from, long* to) { return next_piece(next_guided, from, to); }
WEIR_INTERPOSED bool GOMP_loop_nonmonotonic_dynamic_next(long* from, long* to) {
  return next_piece(next_nonmonotonic_dynamic, from, to);
}
WEIR_INTERPOSED bool GOMP_loop_nonmonotonic_guided_next(long* from, long* to) {
  return next_piece(next_nonmonotonic_guided, from, to);
}

#define LOOP long first, long end, long step, long chunk, long *from, long *to
#define ITS_LOOP first, end, step, chunk, from, to
WEIR_INTERPOSED bool GOMP_loop_dynamic_start(LOOP) { return first_piece(start_dynamic, ITS_LOOP); }
WEIR_INTERPOSED bool GOMP_loop_guided_start(LOOP) { return first_piece(start_guided, ITS_LOOP); }
WEIR_INTERPOSED bool GOMP_loop_nonmonotonic_dynamic_start(LOOP) { return first_piece(start_nonmonotonic_dynamic, ITS_LOOP); }
WEIR_INTERPOSED bool GOMP_loop_nonmonotonic_guided_start(LOOP) { return first_piece(start_nonmonotonic_guided, ITS_LOOP); }

#define PIECE unsigned long long *from, unsigned long long *to
WEIR_INTERPOSED bool GOMP_loop_ull_dynamic_next(PIECE) { return next_piece(next_ull_dynamic, from, to); }
WEIR_INTERPOSED bool GOMP_loop_ull_guided_next(PIECE) { return next_piece(next_ull_guided, from, to); }
WEIR_INTERPOSED bool GOMP_loop_ull_nonmonotonic_dynamic_next(PIECE) {
  return next_piece(next_ull_nonmonotonic_dynamic, from, to);
}
WEIR_INTERPOSED bool GOMP_loop_ull_nonmonotonic_guided_next(PIECE) {
  return next_piece(next_ull_nonmonotonic_guided, from, to);
}
