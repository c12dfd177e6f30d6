// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "lane/object.h"
#include "lane/pretence.h"

namespace weir::lane {

// What a function is begun with: first those that come in registers, then those on the stack. `unknown`: so many stand before these.
struct Beginning {
  const std::uintptr_t* arguments = nullptr;
  int count = 0, unknown = 0;
};

// Calls come(context, state) with what stands in the registers where the function comes to `at`, were it begun now: its code is gone
// through, with what is in memory by then, along the way that it would take, or along each where that depends on what isn't known. False:
// not all were gone. What others change meanwhile, and what it writes to memory that is not its stack's, is not seen. No allocation.
using Come = void (*)(void* context, const Pretence& state);
bool rehearse(Function function, Beginning beginning, std::uintptr_t at, Come come, void* context);

}  // namespace weir::lane
