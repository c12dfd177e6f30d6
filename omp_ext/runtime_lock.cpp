// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/runtime_lock.h"

#include <cstdint>

#include "lane/instruction.h"
#include "lane/object.h"
#include "sys/loader.h"

namespace weir::team {
namespace {

using lane::Function;
using lane::Instruction;
using lane::Object;

// libomp exports what takes such a lock; it waits there, or in a function called from there.
constexpr const char* takes_lock = "__kmp_acquire_ticket_lock";
// And waits here for those of the program, and for its reductions'.
constexpr const char* waits = "__kmp_wait_4";

struct Places {
  static constexpr int most = 4;
  Function functions[most];
  int count = 0;

  void add(Function function) {
    if (function && count < most) functions[count++] = function;
  }
};

constinit Places places;

}  // namespace

void find_runtime_locks(const void* in_runtime) {
  auto start = reinterpret_cast<std::uintptr_t>(sys::definition_near(in_runtime, takes_lock));
  Object object = Object::around(start);
  Function taking = start && object.valid() ? object.starting_at(start) : Function{};
  places.add(taking);
  auto wait = reinterpret_cast<std::uintptr_t>(sys::definition_near(in_runtime, waits));
  if (object.holds(wait) && object.valid()) places.add(object.starting_at(wait));
  auto* end = reinterpret_cast<const std::uint8_t*>(taking.end);
  for (std::uintptr_t at = taking.begin; at < taking.end;) {
    Instruction i = lane::read_instruction(reinterpret_cast<const std::uint8_t*>(at), end);
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
