// SPDX-License-Identifier: Apache-2.0
// Loops over unsigned 64-bit numbers in code by gcc. LLVM's entry points run no iteration of one that goes downwards;
// what they stand on can, and hands out the next iterations of such a loop rightly: so only its start is ours.
#include <cstdint>

#include "omp_ext/gomp_below.h"
#include "omp_ext/libomp.h"
#include "omp_ext/loop_piece.h"
#include "omp_ext/next.h"
#include "omp_ext/turns.h"

namespace weir::omp {
namespace {

using Number = unsigned long long;

constinit Next<std::int32_t(Ident*)> next_thread_num{"__kmpc_global_thread_num"};
constinit Next<void(Ident*, std::int32_t, std::int32_t, Number, Number, std::int64_t, std::int64_t)> next_init{
    "__kmpc_dispatch_init_8u"};
constinit Next<int(Ident*, std::int32_t, std::int32_t*, Number*, Number*, std::int64_t*)> next_next{
    "__kmpc_dispatch_next_8u"};

struct Loop {
  Number start, end;  // the end is not part of it
  Number step;        // what is added, so a huge number
  Number chunk;
};

// A place that says nothing of OpenMP's version. Without one libomp would take `dynamic` for nonmonotonic, and a thread might
// run an earlier iteration after a later one; what is lastprivate counts on the order.
struct Place {
  std::int32_t reserved1 = 0, flags = 2, reserved2 = 0, reserved3 = 0;
  const char* source = ";unknown;unknown;0;0;;";
};
constinit Place unknown;
Ident* place() { return reinterpret_cast<Ident*>(&unknown); }

bool begin_downwards(const Loop& loop, int schedule, Number* from, Number* to) {
  if (loop.start <= loop.end) return false;
  std::int32_t gtid = next_thread_num(place());
  next_init(place(), gtid, schedule, loop.start, loop.end + 1, static_cast<std::int64_t>(loop.step),
            static_cast<std::int64_t>(loop.chunk));
  std::int64_t step;
  if (!next_next(place(), gtid, nullptr, from, to, &step)) return false;
  --*to;
  return true;
}

using Start = bool(bool, Number, Number, Number, Number, Number*, Number*);
using RuntimeStart = bool(bool, Number, Number, Number, Number*, Number*);
using AnyStart = bool(bool, Number, Number, Number, long, Number, Number*, Number*, std::uintptr_t*, void**);

constinit Next<Start> next_static{"GOMP_loop_ull_static_start"};
constinit Next<Start> next_dynamic{"GOMP_loop_ull_dynamic_start"};
constinit Next<Start> next_guided{"GOMP_loop_ull_guided_start"};
constinit Next<Start> next_nonmonotonic_dynamic{"GOMP_loop_ull_nonmonotonic_dynamic_start"};
constinit Next<Start> next_nonmonotonic_guided{"GOMP_loop_ull_nonmonotonic_guided_start"};
constinit Next<RuntimeStart> next_runtime{"GOMP_loop_ull_runtime_start"};
constinit Next<RuntimeStart> next_nonmonotonic_runtime{"GOMP_loop_ull_nonmonotonic_runtime_start"};
constinit Next<RuntimeStart> next_maybe_runtime{"GOMP_loop_ull_maybe_nonmonotonic_runtime_start"};
constinit Next<Start> next_ordered_static{"GOMP_loop_ull_ordered_static_start"};
constinit Next<Start> next_ordered_dynamic{"GOMP_loop_ull_ordered_dynamic_start"};
constinit Next<Start> next_ordered_guided{"GOMP_loop_ull_ordered_guided_start"};
constinit Next<RuntimeStart> next_ordered_runtime{"GOMP_loop_ull_ordered_runtime_start"};
constinit Next<AnyStart> next_any{"GOMP_loop_ull_start"};
constinit Next<AnyStart> next_ordered_any{"GOMP_loop_ull_ordered_start"};

bool start(Next<Start>& next, int schedule, bool up, const Loop& loop, Number* from, Number* to) {
  if (up || !is_over_libomp()) return next.get()(up, loop.start, loop.end, loop.step, loop.chunk, from, to);
  return begin_downwards(loop, schedule, from, to);
}
bool start(Next<RuntimeStart>& next, int schedule, bool up, const Loop& loop, Number* from, Number* to) {
  if (up || !is_over_libomp()) return next.get()(up, loop.start, loop.end, loop.step, from, to);
  return begin_downwards(loop, schedule, from, to);
}

// Of a loop whose pieces are anybody's.
bool first_piece(Next<Start>& next, int schedule, bool up, const Loop& loop, Number* from, Number* to) {
  return team::next_piece(true, [&] { return start(next, schedule, up, loop, from, to); });
}

// (Of one that goes downwards the pieces do not come by.)
void begin_turns(bool up, Number first, Number step) {
  if (up) team::begins_turns_if_wide(first, static_cast<std::int64_t>(step));
}

// By gcc's number, which may have a bit for "monotonic".
int schedule_of(long number) {
  constexpr long bits = 7;
  switch (number & bits) {
    case 1: return of_static;
    case 2: return of_dynamic;
    case 3: return of_guided;
    default: return of_runtime;
  }
}

// With reductions by tasks: those LLVM's own start makes ready, and with nowhere to put iterations it does only that.
bool start(Next<AnyStart>& next, int added, bool up, const Loop& loop, long schedule, Number* from, Number* to,
           std::uintptr_t* reductions, void** memory) {
  bool ours = !up && from && is_over_libomp();
  bool any = next.get()(up, loop.start, loop.end, loop.step, schedule, loop.chunk, ours ? nullptr : from,
                        ours ? nullptr : to, reductions, memory);
  return ours ? begin_downwards(loop, schedule_of(schedule) + added, from, to) : any;
}

}  // namespace
}  // namespace weir::omp

using namespace weir::omp;

#define BOUNDS bool up, Number first, Number end, Number step
#define HANDED_OUT Number *from, Number *to
WEIR_INTERPOSED bool GOMP_loop_ull_static_start(BOUNDS, Number chunk, HANDED_OUT) {
  return start(next_static, of_static, up, {first, end, step, chunk}, from, to);
}
WEIR_INTERPOSED bool GOMP_loop_ull_dynamic_start(BOUNDS, Number chunk, HANDED_OUT) {
  return first_piece(next_dynamic, of_dynamic, up, {first, end, step, chunk}, from, to);
}
WEIR_INTERPOSED bool GOMP_loop_ull_guided_start(BOUNDS, Number chunk, HANDED_OUT) {
  return first_piece(next_guided, of_guided, up, {first, end, step, chunk}, from, to);
}
WEIR_INTERPOSED bool GOMP_loop_ull_nonmonotonic_dynamic_start(BOUNDS, Number chunk, HANDED_OUT) {
  return first_piece(next_nonmonotonic_dynamic, of_dynamic, up, {first, end, step, chunk}, from, to);
}
WEIR_INTERPOSED bool GOMP_loop_ull_nonmonotonic_guided_start(BOUNDS, Number chunk, HANDED_OUT) {
  return first_piece(next_nonmonotonic_guided, of_guided, up, {first, end, step, chunk}, from, to);
}
WEIR_INTERPOSED bool GOMP_loop_ull_runtime_start(BOUNDS, HANDED_OUT) {
  return start(next_runtime, of_runtime, up, {first, end, step, 0}, from, to);
}
WEIR_INTERPOSED bool GOMP_loop_ull_nonmonotonic_runtime_start(BOUNDS, HANDED_OUT) {
  return start(next_nonmonotonic_runtime, of_runtime, up, {first, end, step, 0}, from, to);
}
WEIR_INTERPOSED bool GOMP_loop_ull_maybe_nonmonotonic_runtime_start(BOUNDS, HANDED_OUT) {
  return start(next_maybe_runtime, of_runtime, up, {first, end, step, 0}, from, to);
}
WEIR_INTERPOSED bool GOMP_loop_ull_ordered_static_start(BOUNDS, Number chunk, HANDED_OUT) {
  begin_turns(up, first, step);
  return start(next_ordered_static, of_static + of_ordered, up, {first, end, step, chunk}, from, to);
}
WEIR_INTERPOSED bool GOMP_loop_ull_ordered_dynamic_start(BOUNDS, Number chunk, HANDED_OUT) {
  begin_turns(up, first, step);
  return start(next_ordered_dynamic, of_dynamic + of_ordered, up, {first, end, step, chunk}, from, to);
}
WEIR_INTERPOSED bool GOMP_loop_ull_ordered_guided_start(BOUNDS, Number chunk, HANDED_OUT) {
  begin_turns(up, first, step);
  return start(next_ordered_guided, of_guided + of_ordered, up, {first, end, step, chunk}, from, to);
}
WEIR_INTERPOSED bool GOMP_loop_ull_ordered_runtime_start(BOUNDS, HANDED_OUT) {
  begin_turns(up, first, step);
  return start(next_ordered_runtime, of_runtime + of_ordered, up, {first, end, step, 0}, from, to);
}
WEIR_INTERPOSED bool GOMP_loop_ull_start(BOUNDS, long schedule, Number chunk, HANDED_OUT, std::uintptr_t* reductions,
                                         void** memory) {
  return start(next_any, 0, up, {first, end, step, chunk}, schedule, from, to, reductions, memory);
}
WEIR_INTERPOSED bool GOMP_loop_ull_ordered_start(BOUNDS, long schedule, Number chunk, HANDED_OUT,
                                                 std::uintptr_t* reductions, void** memory) {
  begin_turns(up, first, step);
  return start(next_ordered_any, of_ordered, up, {first, end, step, chunk}, schedule, from, to, reductions, memory);
}
