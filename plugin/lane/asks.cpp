// SPDX-License-Identifier: Apache-2.0
#include "lane/asks.h"

#include <cstring>

#include "lane/instruction.h"
#include "lane/marks.h"
#include "lane/references.h"
#include "lane/written.h"
#include "lane/value.h"

namespace weir::lane {
namespace {

// A linker makes a slot a name or two, and Fortran's name is another.
struct Imports {
  Addresses num_threads{}, thread_num{}, max_threads{}, all{};
  bool by_gcc = false;
  bool num_threads_too = true;
};

void note_import(void* imports_, const char* name, std::uintptr_t slot) {
  auto& imports = *static_cast<Imports*>(imports_);
  bool of_threads = imports.num_threads_too && is_name(name, "omp_get_num_threads");
  bool of_this_thread = is_name(name, "omp_get_thread_num");
  if (of_threads) imports.num_threads.add(slot);
  if (of_this_thread) imports.thread_num.add(slot);
  bool at_most = imports.num_threads_too && is_name(name, "omp_get_max_threads");
  if (at_most) imports.max_threads.add(slot);
  if (of_threads || of_this_thread || at_most) imports.all.add(slot);
  imports.by_gcc |= !std::strncmp(name, "GOMP_", 5);
}

// Calls fn(slot, after) where the function calls through a slot, or loads one, or jumps there: `after` is 0 then.
template <typename Fn>
void each_use_of_slots(const Object& object, Function function, Fn fn) {
  auto* end = reinterpret_cast<const std::uint8_t*>(function.end);
  for (std::uintptr_t at = function.begin; at < function.end;) {
    auto* here = reinterpret_cast<const std::uint8_t*>(at);
    Instruction i = read_instruction(here, end);
    at += i.length ? i.length : 1;
    bool direct = i.kind == Instruction::call || i.kind == Instruction::jump;
    bool by_slot = i.kind == Instruction::call_slot || i.kind == Instruction::loads_slot;
    if (!by_slot && (!direct || function.holds(i.target))) continue;
    // A jump returns what it is given there; a pointer that is loaded may be called anywhere.
    bool is_call = i.kind == Instruction::call || (i.kind == Instruction::call_slot && (read_operands(here, end).first & 7) == 2);
    if (std::uintptr_t slot = by_slot ? i.target : object.slot_of_stub(i.target)) fn(slot, is_call ? at : 0);
  }
}

class Survey {
 public:
  Survey(const Object& object, const Imports& imports) : object_(object), imports_(imports) {}

  Asks over() {
    full_ = !imports_.all.all_fit();
    for (std::uint32_t f = 0; f < object_.functions() && !asks_.asks_max_threads; ++f) find(object_.function(f));
    for (int i = 0; i < count_ && !settled(); ++i) look_at(asking_[i]);
    // Asked for in a way that was not seen.
    if (imports_.num_threads.any() && (!num_threads_seen_ || full_)) asks_.keeps_num_threads = true;
    if (imports_.max_threads.any() && (!max_threads_seen_ || full_)) asks_.asks_max_threads = true;
    if (imports_.thread_num.any() && (!thread_num_seen_ || full_)) asks_.uses_thread_num = true;
    return asks_;
  }

 private:
  static constexpr int most = Addresses::most;
  struct Asking {
    Function function;
    bool handed_over;  // as a region is, which gives nothing back; known once looked for
  };

  void find(Function function) {
    if (!function || !may_use(object_, function, imports_.all) || object_.is_linkage(function)) return;
    bool asks = false;
    each_use_of_slots(object_, function, [&](std::uintptr_t slot, std::uintptr_t after) {
      asks |= imports_.all.has(slot);
      bool at_most = imports_.max_threads.has(slot) && !(after && is_only_written(object_, function, after));
      asks_.asks_max_threads |= at_most;
    });
    if (asks && count_ < most) asking_[count_++] = {function, false};
    else full_ |= asks;
  }

  bool settled() const {
    if (asks_.asks_max_threads) return true;
    bool num_threads = !imports_.num_threads.any() || asks_.keeps_num_threads;
    return num_threads && !imports_.max_threads.any() && (!imports_.thread_num.any() || asks_.uses_thread_num);
  }

  // Reads all of the object's code once more: only where it matters.
  bool gives_nothing_back(const Asking& asking) {
    if (!looked_) look_who_is_handed_over();
    looked_ = true;
    return asking.handed_over;
  }

  void look_who_is_handed_over() {
    Addresses those_that_ask;
    for (int a = 0; a < count_; ++a) those_that_ask.add(asking_[a].function.begin);
    for (std::uint32_t f = 0; f < object_.functions(); ++f) {
      Function function = object_.function(f);
      if (function && may_take(function, those_that_ask)) see_who_is_handed_over(function);
    }
  }

  void see_who_is_handed_over(Function function) {
    auto* end = reinterpret_cast<const std::uint8_t*>(function.end);
    for (std::uintptr_t at = function.begin; at < function.end;) {
      Instruction i = read_instruction(reinterpret_cast<const std::uint8_t*>(at), end);
      at += i.length ? i.length : 1;
      if (i.kind != Instruction::takes_address) continue;
      for (int a = 0; a < count_; ++a) asking_[a].handed_over |= asking_[a].function.begin == i.target;
    }
  }

  void look_at(const Asking& asking) {
    auto use = [&](std::uintptr_t after, Number number) {
      if (!after) return Use::elsewhere;
      Use of_it = use_of_number(object_, asking.function, after, number, true);
      if (of_it != Use::elsewhere) return of_it;
      of_it = use_of_number(object_, asking.function, after, number, false);
      return of_it == Use::elsewhere || gives_nothing_back(asking) ? of_it : Use::elsewhere;
    };
    each_use_of_slots(object_, asking.function, [&](std::uintptr_t slot, std::uintptr_t after) {
      bool of_threads = imports_.num_threads.has(slot), at_most = imports_.max_threads.has(slot);
      num_threads_seen_ |= of_threads;
      max_threads_seen_ |= at_most;
      if ((of_threads || at_most) && is_noted_as_written(asking.function, after)) return;
      if (of_threads) {
        asks_.keeps_num_threads |= use(after, Number::of_threads) == Use::elsewhere;
      }
      asks_.asks_max_threads |= at_most;
      if (imports_.thread_num.has(slot)) {
        thread_num_seen_ = true;
        asks_.uses_thread_num |= use(after, Number::of_this_thread) == Use::elsewhere;
        asks_.picks_thread |= after && picks(asking, after);
      }
    });
  }

  // (A function that is no region may be called in a loop.)
  bool picks(const Asking& asking, std::uintptr_t after) {
    Picked picked = picked_by_number(object_, asking.function, after);
    return picked == Picked::in_loop || (picked == Picked::beside_loops && !gives_nothing_back(asking));
  }

  bool is_noted_as_written(Function function, std::uintptr_t after) {
    if (!after || asks_.written_count == Asks::most_written || !is_only_written(object_, function, after)) return false;
    asks_.written[asks_.written_count++] = after;
    return true;
  }

  const Object& object_;
  const Imports& imports_;
  Asks asks_;
  bool num_threads_seen_ = false, max_threads_seen_ = false, thread_num_seen_ = false, full_ = false, looked_ = false;
  int count_ = 0;
  Asking asking_[most];
};

Asks asks_of(const Object& object, Imports imports) {
  if (!object.valid()) return {.keeps_num_threads = true, .uses_thread_num = true, .picks_thread = true, .asks_max_threads = true};
  object.each_import(note_import, &imports);
  return imports.all.any() ? Survey(object, imports).over() : Asks{};
}

}  // namespace

Asks asks_of(const Object& object) { return asks_of(object, {}); }

bool only_shares(const Object& object) {
  constexpr std::uintptr_t most_bytes = 16 << 20;
  std::uintptr_t bytes = 0;
  for (std::uint32_t f = 0; f < object.functions(); ++f) {
    Function function = object.function(f);
    bytes += function.end - function.begin;
  }
  if (bytes > most_bytes) return false;
  Imports imports{.num_threads_too = false};
  Asks asks = asks_of(object, imports);
  object.each_import(note_import, &imports);
  // Only gcc calls for it by itself.
  return !asks.uses_thread_num && (imports.by_gcc || !imports.thread_num.any());
}

}  // namespace weir::lane
