// SPDX-License-Identifier: Apache-2.0
// bzip2 streams in memory, by libbz2. A file may be several streams, one behind the other: bunzip2 takes
// that.
#pragma once

#include <span>
#include <string>

namespace bzip2 {

// One whole stream. `level` 1..9 is the block size in 100 kB. Throws std::runtime_error where libbz2 has no
// memory.
std::string compress(std::span<const char> data, int level);

// What all the streams in `data` hold. Throws std::runtime_error where they are damaged or cut off.
std::string decompress(std::span<const char> data);

}  // namespace bzip2
