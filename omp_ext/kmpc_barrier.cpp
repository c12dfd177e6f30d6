// SPDX-License-Identifier: Apache-2.0
// Where a team's threads meet. Each settles before it enters libomp's own barrier.
#include "omp_ext/next.h"
#include "omp_ext/task_region.h"

namespace weir::omp {
namespace {

constinit Next<void(Ident*, std::int32_t)> next_barrier{"__kmpc_barrier"};
constinit Next<std::int32_t(Ident*, std::int32_t)> next_cancel_barrier{"__kmpc_cancel_barrier"};
constinit Next<std::int32_t(Ident*, std::int32_t)> next_barrier_master{"__kmpc_barrier_master"};
constinit Next<std::int32_t(Ident*, std::int32_t)> next_barrier_master_nowait{"__kmpc_barrier_master_nowait"};
using Combine = void (*)(void*, void*);
using Reduce = std::int32_t(Ident*, std::int32_t, std::int32_t, std::size_t, void*, Combine, void*);
constinit Next<Reduce> next_reduce{"__kmpc_reduce"};
constinit Next<Reduce> next_reduce_nowait{"__kmpc_reduce_nowait"};
constinit Next<void(Ident*, std::int32_t, std::size_t, void*, Combine, std::int32_t)> next_copyprivate{
    "__kmpc_copyprivate"};

void settle_here() {
  if (Member* member = member_here()) settle(*member);
}

}  // namespace
}  // namespace weir::omp

using namespace weir::omp;

WEIR_INTERPOSED void __kmpc_barrier(Ident* place, std::int32_t gtid) {
  settle_here();
  next_barrier(place, gtid);
}

WEIR_INTERPOSED std::int32_t __kmpc_cancel_barrier(Ident* place, std::int32_t gtid) {
  settle_here();
  return next_cancel_barrier(place, gtid);
}

WEIR_INTERPOSED std::int32_t __kmpc_barrier_master(Ident* place, std::int32_t gtid) {
  settle_here();
  return next_barrier_master(place, gtid);
}

WEIR_INTERPOSED std::int32_t __kmpc_barrier_master_nowait(Ident* place, std::int32_t gtid) {
  settle_here();
  return next_barrier_master_nowait(place, gtid);
}

// A reduction may hold a barrier, as libomp chooses; also the one with nowait. (The end of one may, too: between both
// the program only combines and creates no task.)
WEIR_INTERPOSED std::int32_t __kmpc_reduce(Ident* place, std::int32_t gtid, std::int32_t count, std::size_t bytes,
                                           void* data, Combine combine, void* lock) {
  settle_here();
  return next_reduce(place, gtid, count, bytes, data, combine, lock);
}

WEIR_INTERPOSED std::int32_t __kmpc_reduce_nowait(Ident* place, std::int32_t gtid, std::int32_t count,
                                                  std::size_t bytes, void* data, Combine combine, void* lock) {
  settle_here();
  return next_reduce_nowait(place, gtid, count, bytes, data, combine, lock);
}

WEIR_INTERPOSED void __kmpc_copyprivate(Ident* place, std::int32_t gtid, std::size_t bytes, void* data, Combine copy,
                                        std::int32_t did_it) {
  settle_here();
  next_copyprivate(place, gtid, bytes, data, copy, did_it);
}
