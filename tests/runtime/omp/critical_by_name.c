// SPDX-License-Identifier: Apache-2.0
// Put before libomp: enters a critical section as the run-times do whose compiler has one function of theirs call another by the name
// that a preload defines (Intel's libiomp5, an LLVM libomp by gcc).
#include <stdint.h>

void __kmpc_critical_with_hint(void *place, int32_t gtid, void *lock, uint32_t hint);

void __kmpc_critical(void *place, int32_t gtid, void *lock) { __kmpc_critical_with_hint(place, gtid, lock, 0); }
