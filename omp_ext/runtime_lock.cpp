// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/runtime_lock.h"

#include <dlfcn.h>

#include <cstdint>

#include "omp_ext/region_instruction.h"
#include "omp_ext/region_object.h"

namespace weir::team {
namespace {

// libomp exports what takes such a lock; it waits there, or in a function called from there.
constexpr const char* takes_lock = "__kmp_acquire_ticket_lock";

struct Places {
  static constexpr int most = 4;
  Function functions[most];
  int count = 0;

  void add(Function function) {
    if (function && count < most) functions[count++] = function;
  }
};

constinit Places places;

// A runtime may have been loaded for one library alone: its names are in no general scope then.
std::uintptr_t address_of(const char* name, const void* in_object) {
  Dl_info about;
  void* object = dladdr(in_object, &about) ? dlopen(about.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  if (!object) return 0;
  void* found = dlsym(object, name);
  dlclose(object);
  return reinterpret_cast<std::uintptr_t>(found);
}

}  // namespace

void find_runtime_locks(const void* in_runtime) {
  std::uintptr_t start = address_of(takes_lock, in_runtime);
  Object object = Object::around(start);
  Function taking = start && object.valid() ? object.starting_at(start) : Function{};
  places.add(taking);
  auto* end = reinterpret_cast<const std::uint8_t*>(taking.end);
  for (std::uintptr_t at = taking.begin; at < taking.end;) {
    Instruction i = read_instruction(reinterpret_cast<const std::uint8_t*>(at), end);
    bool leaves = (i.kind == Instruction::call || i.kind == Instruction::jump) && !taking.holds(i.target);
    if (leaves) places.add(object.starting_at(i.target));
    at += i.length ? i.length : 1;
  }
}

bool waits_for_runtime_lock(const void* address) {
  for (int i = 0; i < places.count; ++i) {
    if (places.functions[i].holds(reinterpret_cast<std::uintptr_t>(address))) return true;
  }
  return false;
}

}  // namespace weir::team
