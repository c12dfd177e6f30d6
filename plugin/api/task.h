// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weir/runtime.h"

namespace weir::api {

// As weir_block() does. True: the caller's core had other work meanwhile, since its task was set aside or its core given away.
bool block_here(weir_start_fn start, void* argument);

}  // namespace weir::api
