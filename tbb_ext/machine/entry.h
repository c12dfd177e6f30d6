// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tbb_ext/machine/libtbb.h"
#include "tbb_ext/machine/next.h"

namespace weir::tbb {

inline void* next_or_libtbbs(const char* name) {
  void* found = next_of(name);
  return found ? found : libtbb_name(name);
}

// One of libtbb's entry points, past our own of that name; for a libtbb that came by dlopen, out of everybody's sight but its
// loader's, that libtbb's own.
template <typename F>
using Entry = Next<F, next_or_libtbbs>;

// Does weir's own half of oneTBB call, which lives in a library beside libtbb?
bool from_adapter(const void* return_address);

}  // namespace weir::tbb
