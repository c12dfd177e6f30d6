// SPDX-License-Identifier: Apache-2.0
// OpenMP's own locks: a task that holds one is not set aside. (Where weir is also libomp's tool it hears of them twice;
// both counts go up and down together.)
#include "base/thread.h"
#include "omp_ext/task_region.h"

namespace weir::omp {
namespace {

constinit Next<void(Ident*, std::int32_t, void*)> next_critical{"__kmpc_critical"};
constinit Next<void(Ident*, std::int32_t, void*, std::uint32_t)> next_critical_with_hint{"__kmpc_critical_with_hint"};
constinit Next<void(Ident*, std::int32_t, void*)> next_end_critical{"__kmpc_end_critical"};
constinit Next<void(void*)> next_set_lock{"omp_set_lock"};
constinit Next<void(void*)> next_unset_lock{"omp_unset_lock"};
constinit Next<int(void*)> next_test_lock{"omp_test_lock"};
constinit Next<void(void*)> next_set_nest_lock{"omp_set_nest_lock"};
constinit Next<void(void*)> next_unset_nest_lock{"omp_unset_nest_lock"};
constinit Next<int(void*)> next_test_nest_lock{"omp_test_nest_lock"};
constinit Next<void()> next_gomp_critical_start{"GOMP_critical_start"};
constinit Next<void()> next_gomp_critical_end{"GOMP_critical_end"};
constinit Next<void(void**)> next_gomp_critical_name_start{"GOMP_critical_name_start"};
constinit Next<void(void**)> next_gomp_critical_name_end{"GOMP_critical_name_end"};

void taken() { ++base::self_unsuspended().lock_depth; }
void given() {
  base::Thread& thread = base::self_unsuspended();
  if (thread.lock_depth > 0) --thread.lock_depth;
}

}  // namespace
}  // namespace weir::omp

using namespace weir::omp;

WEIR_INTERPOSED void __kmpc_critical(Ident* place, std::int32_t gtid, void* lock) {
  next_critical(place, gtid_here(gtid), lock);
  taken();
}
WEIR_INTERPOSED void __kmpc_critical_with_hint(Ident* place, std::int32_t gtid, void* lock, std::uint32_t hint) {
  next_critical_with_hint(place, gtid_here(gtid), lock, hint);
  taken();
}
WEIR_INTERPOSED void __kmpc_end_critical(Ident* place, std::int32_t gtid, void* lock) {
  next_end_critical(place, gtid_here(gtid), lock);
  given();
}

WEIR_INTERPOSED void omp_set_lock(void* lock) {
  next_set_lock(lock);
  taken();
}
WEIR_INTERPOSED void omp_unset_lock(void* lock) {
  next_unset_lock(lock);
  given();
}
WEIR_INTERPOSED int omp_test_lock(void* lock) {
  int got = next_test_lock(lock);
  if (got) taken();
  return got;
}
WEIR_INTERPOSED void omp_set_nest_lock(void* lock) {
  next_set_nest_lock(lock);
  taken();
}
WEIR_INTERPOSED void omp_unset_nest_lock(void* lock) {
  next_unset_nest_lock(lock);
  given();
}
WEIR_INTERPOSED int omp_test_nest_lock(void* lock) {
  int depth = next_test_nest_lock(lock);
  if (depth) taken();
  return depth;
}

WEIR_INTERPOSED void GOMP_critical_start() {
  next_gomp_critical_start();
  taken();
}
WEIR_INTERPOSED void GOMP_critical_end() {
  next_gomp_critical_end();
  given();
}
WEIR_INTERPOSED void GOMP_critical_name_start(void** lock) {
  next_gomp_critical_name_start(lock);
  taken();
}
WEIR_INTERPOSED void GOMP_critical_name_end(void** lock) {
  next_gomp_critical_name_end(lock);
  given();
}
