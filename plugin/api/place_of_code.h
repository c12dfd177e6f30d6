// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "api/writer.h"

namespace weir::api {

// `"object": "/path", "offset": "0x1234"` of code at this address, so that its name can be looked up later: the address
// as the object's own file has it. Both null where nothing is mapped from a file. Asks the kernel, not the loader, whose
// lock may be held by whoever is gone after a fork.
void put_place(Writer& out, std::uint64_t address);

}  // namespace weir::api
