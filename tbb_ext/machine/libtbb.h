// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::tbb {

// Where libtbb's code lies in this process. libc names that we answer for libtbb alone look at their return address.
struct Text {
  std::uintptr_t begin = 0;
  std::uintptr_t bytes = 0;  // 0: no libtbb is known
};
extern "C" Text weir_tbb_text;  // read by assembly, too

inline bool from_libtbb(const void* return_address) {
  return reinterpret_cast<std::uintptr_t>(return_address) - weir_tbb_text.begin < weir_tbb_text.bytes;
}

// Looks through the loaded objects; true when there is exactly one libtbb. With more of them, whose arenas know nothing
// of each other, none is served. Takes the loader's lock; cheap when nothing was loaded since the last look.
bool look_for_libtbb();

// A name of that libtbb, or nullptr.
void* libtbb_name(const char* name);

}  // namespace weir::tbb
