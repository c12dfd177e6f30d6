// SPDX-License-Identifier: Apache-2.0
// Parallel regions in code by gcc, where LLVM's libomp stands in front of libgomp and serves these names. `threads` 0:
// the program does not say how many.
#include "omp_ext/gomp_region.h"
#include "omp_ext/next.h"
#include "omp_ext/team.h"

#define WEIR_EXPORT extern "C" __attribute__((visibility("default")))

using namespace weir::team;
using weir::omp::leaves_forks_alone;
using weir::omp::Next;

namespace {

using Body = void(void*);

// proc_bind leaves no room, as num_threads does.
constexpr unsigned proc_bind_flags = 7;

class Fork {
 public:
  // `body` and `data` become those of a region whose tasks may be set aside, where the lane has such; `threads` becomes 0 where
  // weir has told the run-time how many.
  Fork(Body*& body, void*& data, unsigned& threads, unsigned flags, bool reductions = false)
      : code_(reinterpret_cast<const void*>(body)), data_(reinterpret_cast<std::uintptr_t>(data)), region_(body, data, reductions) {
    bool bound = flags & proc_bind_flags;
    if (threads || bound) sized_by_program(static_cast<int>(threads), bound ? Asked::exactly : Asked::by_number);
    if (weir::omp::before_fork(code_, {&data_, 1}, weir::omp::Compiler::gcc)) threads = 0;
  }
  ~Fork() { weir::omp::after_fork(code_); }
  Fork(const Fork&) = delete;
  Fork& operator=(const Fork&) = delete;

 private:
  const void* code_;
  std::uintptr_t data_;
  weir::omp::GompRegion region_;
};

constinit Next<void(Body*, void*, unsigned, unsigned)> real_parallel("GOMP_parallel");
constinit Next<unsigned(Body*, void*, unsigned, unsigned)> real_reductions("GOMP_parallel_reductions");
constinit Next<void(Body*, void*, unsigned, unsigned, unsigned)> real_sections("GOMP_parallel_sections");

using Loop = void(Body*, void*, unsigned, long, long, long, long, unsigned);
constinit Next<Loop> real_static("GOMP_parallel_loop_static");
constinit Next<Loop> real_dynamic("GOMP_parallel_loop_dynamic");
constinit Next<Loop> real_guided("GOMP_parallel_loop_guided");
constinit Next<Loop> real_nonmonotonic_dynamic("GOMP_parallel_loop_nonmonotonic_dynamic");
constinit Next<Loop> real_nonmonotonic_guided("GOMP_parallel_loop_nonmonotonic_guided");

using RuntimeLoop = void(Body*, void*, unsigned, long, long, long, unsigned);
constinit Next<RuntimeLoop> real_runtime("GOMP_parallel_loop_runtime");
constinit Next<RuntimeLoop> real_nonmonotonic_runtime("GOMP_parallel_loop_nonmonotonic_runtime");
constinit Next<RuntimeLoop> real_maybe_runtime("GOMP_parallel_loop_maybe_nonmonotonic_runtime");

void loop(Next<Loop>& real, Body* body, void* data, unsigned threads, long start, long end, long step, long chunk, unsigned flags) {
  if (leaves_forks_alone()) return real.get()(body, data, threads, start, end, step, chunk, flags);
  Fork fork(body, data, threads, flags);
  real.get()(body, data, threads, start, end, step, chunk, flags);
}
void loop(Next<RuntimeLoop>& real, Body* body, void* data, unsigned threads, long start, long end, long step, unsigned flags) {
  if (leaves_forks_alone()) return real.get()(body, data, threads, start, end, step, flags);
  Fork fork(body, data, threads, flags);
  real.get()(body, data, threads, start, end, step, flags);
}

}  // namespace

WEIR_EXPORT void GOMP_parallel(Body* body, void* data, unsigned threads, unsigned flags) {
  if (leaves_forks_alone()) return real_parallel.get()(body, data, threads, flags);
  Fork fork(body, data, threads, flags);
  real_parallel.get()(body, data, threads, flags);
}
WEIR_EXPORT unsigned GOMP_parallel_reductions(Body* body, void* data, unsigned threads, unsigned flags) {
  if (leaves_forks_alone()) return real_reductions.get()(body, data, threads, flags);
  Fork fork(body, data, threads, flags, true);
  return real_reductions.get()(body, data, threads, flags);
}
WEIR_EXPORT void GOMP_parallel_sections(Body* body, void* data, unsigned threads, unsigned count, unsigned flags) {
  if (leaves_forks_alone()) return real_sections.get()(body, data, threads, count, flags);
  Fork fork(body, data, threads, flags);
  real_sections.get()(body, data, threads, count, flags);
}

#define LOOP_ARGUMENTS Body *body, void *data, unsigned threads, long start, long end, long step
WEIR_EXPORT void GOMP_parallel_loop_static(LOOP_ARGUMENTS, long chunk, unsigned flags) {
  loop(real_static, body, data, threads, start, end, step, chunk, flags);
}
WEIR_EXPORT void GOMP_parallel_loop_dynamic(LOOP_ARGUMENTS, long chunk, unsigned flags) {
  loop(real_dynamic, body, data, threads, start, end, step, chunk, flags);
}
WEIR_EXPORT void GOMP_parallel_loop_guided(LOOP_ARGUMENTS, long chunk, unsigned flags) {
  loop(real_guided, body, data, threads, start, end, step, chunk, flags);
}
WEIR_EXPORT void GOMP_parallel_loop_nonmonotonic_dynamic(LOOP_ARGUMENTS, long chunk, unsigned flags) {
  loop(real_nonmonotonic_dynamic, body, data, threads, start, end, step, chunk, flags);
}
WEIR_EXPORT void GOMP_parallel_loop_nonmonotonic_guided(LOOP_ARGUMENTS, long chunk, unsigned flags) {
  loop(real_nonmonotonic_guided, body, data, threads, start, end, step, chunk, flags);
}
WEIR_EXPORT void GOMP_parallel_loop_runtime(LOOP_ARGUMENTS, unsigned flags) {
  loop(real_runtime, body, data, threads, start, end, step, flags);
}
WEIR_EXPORT void GOMP_parallel_loop_nonmonotonic_runtime(LOOP_ARGUMENTS, unsigned flags) {
  loop(real_nonmonotonic_runtime, body, data, threads, start, end, step, flags);
}
WEIR_EXPORT void GOMP_parallel_loop_maybe_nonmonotonic_runtime(LOOP_ARGUMENTS, unsigned flags) {
  loop(real_maybe_runtime, body, data, threads, start, end, step, flags);
}
