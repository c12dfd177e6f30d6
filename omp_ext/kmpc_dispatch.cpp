// SPDX-License-Identifier: Apache-2.0
// Loops whose pieces are handed out one by one, in code by clang. (What gcc calls comes by here too, from within libomp; that
// goes straight through: such a loop was not begun here.)
#include <cstdint>

#include "omp_ext/libomp.h"
#include "omp_ext/loop_piece.h"
#include "omp_ext/next.h"
#include "omp_ext/turns.h"

namespace weir::omp {
namespace {

template <typename Number, typename Step>
using Begin = void(Ident*, std::int32_t, std::int32_t, Number, Number, Step, Step);
template <typename Number, typename Step>
using NextPiece = int(Ident*, std::int32_t, std::int32_t*, Number*, Number*, Step*);

constinit Next<Begin<std::int32_t, std::int32_t>> begin_4{"__kmpc_dispatch_init_4"};
constinit Next<Begin<std::uint32_t, std::int32_t>> begin_4u{"__kmpc_dispatch_init_4u"};
constinit Next<Begin<std::int64_t, std::int64_t>> begin_8{"__kmpc_dispatch_init_8"};
constinit Next<Begin<std::uint64_t, std::int64_t>> begin_8u{"__kmpc_dispatch_init_8u"};
constinit Next<NextPiece<std::int32_t, std::int32_t>> next_4{"__kmpc_dispatch_next_4"};
constinit Next<NextPiece<std::uint32_t, std::int32_t>> next_4u{"__kmpc_dispatch_next_4u"};
constinit Next<NextPiece<std::int64_t, std::int64_t>> next_8{"__kmpc_dispatch_next_8"};
constinit Next<NextPiece<std::uint64_t, std::int64_t>> next_8u{"__kmpc_dispatch_next_8u"};
using PassOver = void(Ident*, std::int32_t);
constinit Next<PassOver> over_4{"__kmpc_dispatch_fini_4"};
constinit Next<PassOver> over_4u{"__kmpc_dispatch_fini_4u"};
constinit Next<PassOver> over_8{"__kmpc_dispatch_fini_8"};
constinit Next<PassOver> over_8u{"__kmpc_dispatch_fini_8u"};
constinit Next<void(Ident*, std::int32_t, int, const void*)> begin_doacross{"__kmpc_doacross_init"};

// Not one that may turn out to be static (OMP_SCHEDULE), nor an ordered one: there a piece waits for the one before.
bool hands_to_anybody(std::int32_t schedule) {
  std::int32_t kind = schedule & ~modifiers;
  return kind == of_dynamic || kind == of_guided;
}

bool hands_to_anybody_in_turn(std::int32_t schedule) { return hands_to_anybody(schedule - of_ordered); }

bool takes_turns(std::int32_t schedule) {
  std::int32_t kind = (schedule & ~modifiers) - of_ordered;
  return kind >= of_static_chunks && kind <= of_auto;
}

// Where the pieces may come in any order libomp gives each thread a share, and who has done his looks for another's, thread by
// thread: with hundreds of threads, of which most wait or stay behind, that takes longer than the one counter of all that a loop
// in order has. Nor are its pieces read here and there all over a disk. (The same for each thread of a team, as what is wide is.)
std::int32_t in_order(std::int32_t schedule) {
  return (schedule & ~modifiers) == of_dynamic ? of_dynamic | monotonic : schedule;
}

base::TeamSeat& seat_here() { return base::self_unsuspended().seat; }

template <typename F, typename Number, typename Step>
void begin(Next<F>& next, Ident* place, std::int32_t gtid, std::int32_t schedule, Number first, Number last, Step step, Step chunk) {
  base::TeamSeat& seat = seat_here();
  if (team::is_wide(seat.team) && !team::is_inner(seat.team)) {
    seat.takes_pieces = hands_to_anybody(schedule) || hands_to_anybody_in_turn(schedule);
    if (takes_turns(schedule)) team::begins_turns(seat.turns, static_cast<std::uint64_t>(first), step);
    else team::begins_without_turns(seat.turns);
    schedule = in_order(schedule);
  }
  next(place, gtid, schedule, first, last, step, chunk);
}

template <typename F, typename Number, typename Step>
int next_piece(Next<F>& next, Ident* place, std::int32_t gtid, std::int32_t* last, Number* lower, Number* upper, Step* stride) {
  auto take = [&] { return next(place, gtid, last, lower, upper, stride); };
  base::TeamSeat& seat = seat_here();
  if (team::takes_turns(seat)) {
    return team::next_piece_in_turn(seat.takes_pieces, [&] { return team::next_in_turn(seat.turns, lower, upper, take); });
  }
  return team::next_piece(seat.takes_pieces, take);
}

void pass_is_over(Next<PassOver>& over, Ident* place, std::int32_t gtid) {
  base::TeamSeat& seat = seat_here();
  if (!team::takes_turns(seat)) return over(place, gtid);
  team::await_pass(seat.turns);
  over(place, gtid);
  team::pass_is_over(seat.turns);
}

}  // namespace
}  // namespace weir::omp

using namespace weir::omp;

#define LOOP(Number, Step) \
  Ident *place, std::int32_t gtid, std::int32_t schedule, Number first, Number last, Step step, Step chunk
#define BEGUN place, gtid, schedule, first, last, step, chunk
WEIR_INTERPOSED void __kmpc_dispatch_init_4(LOOP(std::int32_t, std::int32_t)) { begin(begin_4, BEGUN); }
WEIR_INTERPOSED void __kmpc_dispatch_init_4u(LOOP(std::uint32_t, std::int32_t)) { begin(begin_4u, BEGUN); }
WEIR_INTERPOSED void __kmpc_dispatch_init_8(LOOP(std::int64_t, std::int64_t)) { begin(begin_8, BEGUN); }
WEIR_INTERPOSED void __kmpc_dispatch_init_8u(LOOP(std::uint64_t, std::int64_t)) { begin(begin_8u, BEGUN); }

// Before the loop is begun.
WEIR_INTERPOSED void __kmpc_doacross_init(Ident* place, std::int32_t gtid, int dimensions, const void* bounds) {
  weir::team::pieces_wait_for_each_other();
  begin_doacross(place, gtid, dimensions, bounds);
}

#define PIECE(Number, Step) Ident *place, std::int32_t gtid, std::int32_t *last, Number *lower, Number *upper, Step *stride
#define GIVEN place, gtid, last, lower, upper, stride
WEIR_INTERPOSED int __kmpc_dispatch_next_4(PIECE(std::int32_t, std::int32_t)) { return next_piece(next_4, GIVEN); }
WEIR_INTERPOSED int __kmpc_dispatch_next_4u(PIECE(std::uint32_t, std::int32_t)) { return next_piece(next_4u, GIVEN); }
WEIR_INTERPOSED int __kmpc_dispatch_next_8(PIECE(std::int64_t, std::int64_t)) { return next_piece(next_8, GIVEN); }
WEIR_INTERPOSED int __kmpc_dispatch_next_8u(PIECE(std::uint64_t, std::int64_t)) { return next_piece(next_8u, GIVEN); }

// At the end of each pass of a loop with `ordered`.
WEIR_INTERPOSED void __kmpc_dispatch_fini_4(Ident* place, std::int32_t gtid) { pass_is_over(over_4, place, gtid); }
WEIR_INTERPOSED void __kmpc_dispatch_fini_4u(Ident* place, std::int32_t gtid) { pass_is_over(over_4u, place, gtid); }
WEIR_INTERPOSED void __kmpc_dispatch_fini_8(Ident* place, std::int32_t gtid) { pass_is_over(over_8, place, gtid); }
WEIR_INTERPOSED void __kmpc_dispatch_fini_8u(Ident* place, std::int32_t gtid) { pass_is_over(over_8u, place, gtid); }
