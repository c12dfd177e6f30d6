// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_locked.h"

#include "lane/flow.h"
#include "lane/instruction.h"
#include "lane/loop.h"
#include "lane/object.h"
#include "omp_ext/region_body.h"
#include "omp_ext/region_code.h"

namespace weir::team {
namespace {

using lane::Flow;
using lane::Function;
using lane::Instruction;
using lane::Object;

bool function_may_wait(std::uintptr_t function) {
  CodeFacts facts = read_code(reinterpret_cast<const void*>(function));
  return facts.blocks || facts.may_block;
}

// Who takes its piece without a lock may have a lock of its own for it.
bool takes_a_number(std::uintptr_t at, std::uintptr_t end) { return lane::takes_number(lane::bytes_at(at), lane::bytes_at(end)); }

bool may_wait(const Object& in, const Instruction& i, Named named) {
  if (named.function) return function_may_wait(named.function);
  if (!named.name) return i.kind == Instruction::call_unknown;
  NameKind kind = kind_of_name(named.name);
  if (kind != NameKind::other) return kind == NameKind::waits || kind == NameKind::waits_for_others;
  if (locks(named.name) || unlocks(named.name) || ends_at_once(named.name)) return false;
  std::uintptr_t there = address_of(in, named.name);
  Object object = there ? Object::around(there) : Object();
  return object.valid() && !object.is_runtime() && function_may_wait(there);
}

}  // namespace

bool waits_only_with_lock(std::uintptr_t code) {
  Object object = Object::around(code);
  Function function = object.valid() ? object.starting_at(code) : Function{};
  if (!function) return false;
  Flow flow(function);
  if (!flow.fits()) return false;
  Zone held;
  each_instruction(object, flow, [&](int block, const Instruction& i, std::uintptr_t at, Named named) {
    if (!named.name || i.kind == Instruction::loads_slot) return;
    if (locks(named.name)) held.mark(block, at, false);
    if (unlocks(named.name)) held.mark(block, at, true);
  });
  flow.find_ways();
  held.find(flow);
  bool with = false, without = false;
  each_instruction(object, flow, [&](int block, const Instruction& i, std::uintptr_t at, Named named) {
    if (without) return;
    if (held.holds(block, at)) with = with || may_wait(object, i, named);
    else without = may_wait(object, i, named) || takes_a_number(at, flow.code_of(block).end);
  });
  return with && !without;
}

}  // namespace weir::team
