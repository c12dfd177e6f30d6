// SPDX-License-Identifier: Apache-2.0
#include "cli/report/libdw.h"

#include <dlfcn.h>

#include <type_traits>

namespace weir::cli {
namespace {

bool load(Libdw& functions) {
  void* library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
  bool all = true;
  auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    all = all && function;
  };
#define WEIR_FUNCTION(name) find(functions.name, #name);
  WEIR_OF_LIBDW(WEIR_FUNCTION)
#undef WEIR_FUNCTION
  return all;
}

}  // namespace

const Libdw* libdw() {
  static Libdw functions;
  static const bool loaded = load(functions);
  return loaded ? &functions : nullptr;
}

}  // namespace weir::cli
