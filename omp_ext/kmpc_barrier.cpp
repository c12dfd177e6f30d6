// SPDX-License-Identifier: Apache-2.0
// Where a team's threads meet. Each settles before it enters libomp's own barrier.
#include <strings.h>

#include <cstdlib>

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

bool is_true(const char* value) {
  for (const char* word : {"1", "true", "t", "on", "yes", "y", "enabled", ".true.", ".t."}) {
    if (!strcasecmp(value, word)) return true;
  }
  return false;
}

enum class Tree { of_many, always, never };

// As the user has it. KMP_FORCE_REDUCTION holds before the other.
Tree tree_wanted() {
  if (const char* forced = std::getenv("KMP_FORCE_REDUCTION")) return strcasecmp(forced, "tree") ? Tree::never : Tree::always;
  const char* same_each_time = std::getenv("KMP_DETERMINISTIC_REDUCTION");
  return same_each_time && is_true(same_each_time) ? Tree::always : Tree::of_many;
}

// libomp's way of combining: by a tree, at a barrier, or each thread by itself with a lock or atomically, as few do.
bool combines_at_barrier(const Region& region) {
  constexpr std::int32_t few = 4;
  static const Tree tree = tree_wanted();
  std::int32_t threads = region.threads.load(std::memory_order_relaxed);
  return threads > 1 && (tree == Tree::always || (tree == Tree::of_many && threads > few));
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

// A barrier is at the end of this at the latest. (Between the two the program only combines and creates no task.)
WEIR_INTERPOSED std::int32_t __kmpc_reduce(Ident* place, std::int32_t gtid, std::int32_t count, std::size_t bytes,
                                           void* data, Combine combine, void* lock) {
  settle_here();
  return next_reduce(place, gtid, count, bytes, data, combine, lock);
}

// Where no barrier is foreseen none may come: libomp has a tree only where it is given what combines two threads' data.
WEIR_INTERPOSED std::int32_t __kmpc_reduce_nowait(Ident* place, std::int32_t gtid, std::int32_t count,
                                                  std::size_t bytes, void* data, Combine combine, void* lock) {
  if (Member* member = member_here()) {
    if (data && combine && combines_at_barrier(*member->region)) settle(*member);
    else combine = nullptr;
  }
  return next_reduce_nowait(place, gtid, count, bytes, data, combine, lock);
}

WEIR_INTERPOSED void __kmpc_copyprivate(Ident* place, std::int32_t gtid, std::size_t bytes, void* data, Combine copy,
                                        std::int32_t did_it) {
  settle_here();
  next_copyprivate(place, gtid, bytes, data, copy, did_it);
}
