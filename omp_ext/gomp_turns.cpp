// SPDX-License-Identifier: Apache-2.0
// Loops with `ordered`, in code by gcc. (Their pieces come by way of __kmpc_dispatch_next_8, from within libomp.)
#include <cstdint>

#include "omp_ext/libomp.h"
#include "omp_ext/loop_piece.h"
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

using Signed = bool(long*, long*);
using Unsigned = bool(unsigned long long*, unsigned long long*);
constinit Next<Signed> next_static{"GOMP_loop_ordered_static_next"};
constinit Next<Signed> next_dynamic{"GOMP_loop_ordered_dynamic_next"};
constinit Next<Signed> next_guided{"GOMP_loop_ordered_guided_next"};
constinit Next<Signed> next_runtime{"GOMP_loop_ordered_runtime_next"};
constinit Next<Unsigned> next_ull_static{"GOMP_loop_ull_ordered_static_next"};
constinit Next<Unsigned> next_ull_dynamic{"GOMP_loop_ull_ordered_dynamic_next"};
constinit Next<Unsigned> next_ull_guided{"GOMP_loop_ull_ordered_guided_next"};
constinit Next<Unsigned> next_ull_runtime{"GOMP_loop_ull_ordered_runtime_next"};

// A loop's pieces: each some thread's own, or of whoever comes.
enum class Whose : bool { its_threads, anybodys };

// Before it asks itself for the next piece, libomp waits for the turns that this one left out.
template <typename F, typename Number>
bool next_piece(Next<F>& next, Number* from, Number* to, Whose whose = Whose::its_threads) {
  base::TeamSeat& seat = base::self_unsuspended().seat;
  if (team::takes_turns(seat)) team::await_rest(seat.turns);
  return team::next_piece_in_turn(whose == Whose::anybodys, [&] { return next(from, to); });
}

void begins(long first, long step) { team::begins_turns_if_wide(static_cast<std::uint64_t>(first), step); }

bool begin(Next<Start>& start, Whose whose, long first, long end, long step, long chunk, long* from, long* to) {
  begins(first, step);
  return team::next_piece_in_turn(whose == Whose::anybodys, [&] { return start(first, end, step, chunk, from, to); });
}

}  // namespace
}  // namespace weir::omp

using namespace weir::omp;

#define LOOP long first, long end, long step, long chunk, long *from, long *to
#define ITS_LOOP first, end, step, chunk, from, to
WEIR_INTERPOSED bool GOMP_loop_ordered_static_start(LOOP) { return begin(start_static, Whose::its_threads, ITS_LOOP); }
WEIR_INTERPOSED bool GOMP_loop_ordered_dynamic_start(LOOP) { return begin(start_dynamic, Whose::anybodys, ITS_LOOP); }
WEIR_INTERPOSED bool GOMP_loop_ordered_guided_start(LOOP) { return begin(start_guided, Whose::anybodys, ITS_LOOP); }
WEIR_INTERPOSED bool GOMP_loop_ordered_runtime_start(long first, long end, long step, long* from, long* to) {
  begins(first, step);
  return start_runtime(first, end, step, from, to);
}
WEIR_INTERPOSED bool GOMP_loop_ordered_start(long first, long end, long step, long schedule, long chunk, long* from, long* to,
                                             std::uintptr_t* reductions, void** memory) {
  begins(first, step);
  return start_any(first, end, step, schedule, chunk, from, to, reductions, memory);
}

#define PIECE(Number) Number *from, Number *to
WEIR_INTERPOSED bool GOMP_loop_ordered_static_next(PIECE(long)) { return next_piece(next_static, from, to); }
WEIR_INTERPOSED bool GOMP_loop_ordered_dynamic_next(PIECE(long)) {
  return next_piece(next_dynamic, from, to, Whose::anybodys);
}
WEIR_INTERPOSED bool GOMP_loop_ordered_guided_next(PIECE(long)) {
  return next_piece(next_guided, from, to, Whose::anybodys);
}
WEIR_INTERPOSED bool GOMP_loop_ordered_runtime_next(PIECE(long)) { return next_piece(next_runtime, from, to); }
WEIR_INTERPOSED bool GOMP_loop_ull_ordered_static_next(PIECE(unsigned long long)) { return next_piece(next_ull_static, from, to); }
WEIR_INTERPOSED bool GOMP_loop_ull_ordered_dynamic_next(PIECE(unsigned long long)) {
  return next_piece(next_ull_dynamic, from, to, Whose::anybodys);
}
WEIR_INTERPOSED bool GOMP_loop_ull_ordered_guided_next(PIECE(unsigned long long)) {
  return next_piece(next_ull_guided, from, to, Whose::anybodys);
}
WEIR_INTERPOSED bool GOMP_loop_ull_ordered_runtime_next(PIECE(unsigned long long)) {
  return next_piece(next_ull_runtime, from, to);
}
