// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_body.h"

#include <dlfcn.h>

#include "omp_ext/region_code.h"
#include "omp_ext/region_part.h"

namespace weir::team {

using lane::Flow;
using lane::Instruction;
using lane::Object;

void Zone::mark(int block, std::uintptr_t at, bool ends) {
  if (count_ < most) marks_[count_++] = {at, block, ends};
  else everywhere_ = true;
}

void Zone::find(const Flow& flow) {
  Flow::Blocks ends;
  for (int i = 0; i < count_; ++i) {
    if (marks_[i].ends) ends[static_cast<std::size_t>(marks_[i].block)] = true;
  }
  for (int i = 0; i < count_; ++i) {
    bool last = i + 1 == count_ || marks_[i + 1].block != marks_[i].block;
    if (last && !marks_[i].ends) entered_within_ |= flow.after(marks_[i].block, ends);
  }
}

bool Zone::holds(int block, std::uintptr_t at) const {
  bool within = entered_within_[static_cast<std::size_t>(block)];
  for (int i = 0; i < count_ && marks_[i].at <= at; ++i) {
    if (marks_[i].block == block) within = !marks_[i].ends;
  }
  return within || everywhere_;
}

Named named_by(const Object& object, const Instruction& i) {
  switch (i.kind) {
    case Instruction::call:
    case Instruction::jump:
      if (object.starting_at(i.target)) return {nullptr, i.target};
      if (std::uintptr_t slot = object.slot_of_stub(i.target)) return {object.name_of_slot(slot)};
      return {};
    case Instruction::call_slot:
    case Instruction::loads_slot: return {object.name_of_slot(i.target)};
    case Instruction::takes_address: return {nullptr, object.starting_at(i.target) ? i.target : 0};
    default: return {};
  }
}

std::uintptr_t address_of(const Object& object, const char* name) {
  void* there = dlsym(RTLD_DEFAULT, name);
  if (there || !*object.path()) return reinterpret_cast<std::uintptr_t>(there);
  void* its = dlopen(object.path(), RTLD_LAZY | RTLD_NOLOAD);
  if (!its) return 0;
  auto found = reinterpret_cast<std::uintptr_t>(dlsym(its, name));
  dlclose(its);
  return Object::around(found).starting_at(found) ? found : 0;  // else a variable
}

namespace {

struct Locking {
  bool begins = false, ends = false;
};

Locking by_name(const char* name) {
  Part part = part_of_name(name);
  return {part == Part::alone_begins || locks(name), part == Part::alone_ends || unlocks(name)};
}

// What a small function does, with those that it calls.
Locking by_code(const Object& object, std::uintptr_t start, int deep) {
  constexpr std::uintptr_t longest = 256;
  Locking all;
  lane::Function function = object.starting_at(start);
  if (!function || function.end - function.begin > longest) return all;
  for (std::uintptr_t at = function.begin; at < function.end;) {
    Instruction i = lane::read_instruction(lane::bytes_at(at), lane::bytes_at(function.end));
    Named named = named_by(object, i);
    bool goes_there = is_call(i) || i.kind == Instruction::jump;
    bool deeper = goes_there && named.function && named.function != start && deep;
    Locking here = goes_there && named.name ? by_name(named.name) : deeper ? by_code(object, named.function, deep - 1) : Locking{};
    all.begins |= here.begins;
    all.ends |= here.ends;
    at += i.length ? i.length : 1;
  }
  return all;
}

}  // namespace

void mark_alone(Zone& zone, const Object& object, int block, const Instruction& i, std::uintptr_t at, Named named) {
  constexpr int most_deep = 3;
  if (i.kind == Instruction::loads_slot) return;
  Locking how = named.name ? by_name(named.name) : named.function && is_call(i) ? by_code(object, named.function, most_deep) : Locking{};
  if (how.begins != how.ends) zone.mark(block, at, how.ends);
}

bool is_shared_by_number(const Object& object, const Flow& flow) {
  bool by_number = false, by_pieces = false, own_begin = false;
  each_instruction(object, flow, [&](int block, const Instruction& i, std::uintptr_t at, Named named) {
    if (!named.name || i.kind == Instruction::loads_slot) return;
    Part part = part_of_name(named.name);
    own_begin |= part == Part::pieces_begin && gives_by_number(flow.code_of(block), at);
    by_number |= own_begin || part == Part::share_begins || part == Part::first_enters || part == Part::asks_number || part == Part::takes_own_piece;
    by_pieces |= part == Part::takes_piece;
  });
  return by_number && (own_begin || !by_pieces);
}

}  // namespace weir::team
