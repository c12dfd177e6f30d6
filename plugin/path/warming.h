// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "weir/runtime.h"

// A file at its shared offset is read in two steps: the ring reads what comes next into nowhere, so that the page cache has it, and the
// kernel's own call finds it there.
namespace weir::path {

// Reads [offset, offset + bytes) into nowhere. As perform().
bool warm(int fd, off_t offset, std::uint64_t bytes, const weir_runtime& runtime, int* refusal);

// Does what is read of files on this device stay in the page cache, or is it likely? On some FUSE file systems it does not, and each byte
// would be read twice.
bool stays_cached(std::uint64_t device);

}  // namespace weir::path
