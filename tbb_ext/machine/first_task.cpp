// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/machine/first_task.h"

#include <dlfcn.h>

#include <cstring>

namespace weir::tbb {
namespace {

// The classes of loops in libtbb's headers, as the C++ ABI writes them. Their last argument is the partitioner.
constexpr const char* loops[] = {"N3tbb6detail2d19start_forI", "N3tbb6detail2d112start_reduceI",
                                 "N3tbb6detail2d126start_deterministic_reduceI", "N3tbb6detail2d110start_scanI"};

bool in_an_object(const void* address) {
  dl_find_object found;
  return address && !_dl_find_object(const_cast<void*>(address), &found);
}

struct Type {
  const void* virtual_functions;
  const char* name;
};

bool names_a_loop(const char* name) {
  for (const char* loop : loops)
    if (!std::strncmp(name, loop, std::strlen(loop))) return true;
  return false;
}

}  // namespace

Cut cut_of(const void* task) {
  auto* virtual_functions = *static_cast<const Type* const* const*>(task);
  if (!in_an_object(virtual_functions)) return Cut::no_loop;
  const Type* type = virtual_functions[-1];
  if (!in_an_object(type)) return Cut::fixed;  // -fno-rtti
  const char* name = type->name + (*type->name == '*');  // marked so: not to be compared by other objects
  if (!names_a_loop(name)) return Cut::no_loop;
  return std::strstr(name, "18static_partitioner") ? Cut::fixed : Cut::free;
}

}  // namespace weir::tbb
