// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/next.h"

#include <dlfcn.h>
#include <link.h>

#include "sys/loader.h"

namespace weir::omp {
namespace {

struct Search {
  const char* name;
  const void* own_base;
  void* found;
};

Dl_info object_of(const void* address) {
  Dl_info about{};
  return dladdr(address, &about) ? about : Dl_info{};
}

int look_into(dl_phdr_info* object, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  if (!object->dlpi_name || !*object->dlpi_name) return 0;
  void* found = sys::definition_in(object->dlpi_name, search.name);
  if (!found || object_of(found).dli_fbase == search.own_base) return 0;
  // Of several that were opened so, one that is LLVM's: gcc's code has its own then (private_runtime.cpp).
  bool serves = sys::definition_in(object->dlpi_name, "__kmpc_fork_call");
  if (serves || !search.found) search.found = found;
  return serves;
}

}  // namespace

void* next_definition(const char* name) {
  if (void* next = dlsym(RTLD_NEXT, name)) return next;
  Search search{name, object_of(reinterpret_cast<const void*>(&next_definition)).dli_fbase, nullptr};
  sys::each_object(look_into, &search);
  return search.found;
}

}  // namespace weir::omp
