// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_code.h"

#include <link.h>

#include <bitset>
#include <cstring>
#include <initializer_list>

#include "lane/arithmetic.h"
#include "lane/instruction.h"
#include "lane/marks.h"
#include "lane/loop.h"
#include "lane/object.h"
#include "lane/references.h"
#include "lane/spinning.h"
#include "omp_ext/region_body.h"
#include "omp_ext/region_carries.h"
#include "omp_ext/region_each.h"
#include "omp_ext/region_largest.h"
#include "omp_ext/region_part.h"
#include "omp_ext/region_rounds.h"
#include "sys/loader.h"

namespace weir::team {
namespace {

using lane::Function;
using lane::Instruction;
using lane::Object;
using lane::read_instruction;

// Does it import a name for calls that wait?
bool imports_waiting(const Object& object) {
  bool found = false;
  object.each_import(
      [](void* found_, const char* name, std::uintptr_t) {
        NameKind kind = kind_of_name(name);
        *static_cast<bool*>(found_) |= kind == NameKind::waits || kind == NameKind::waits_for_others;
      },
      &found);
  return found;
}

// Functions of which is known that neither they nor what they call may wait.
class NeverWaiting {
 public:
  bool has(std::uintptr_t function) const { return slots_[slot_of(function)] == function; }
  void add(std::uintptr_t function) {
    if (count_ == size / 4 * 3) return;
    std::uintptr_t& slot = slots_[slot_of(function)];
    count_ += slot != function;
    slot = function;
  }

 private:
  static constexpr std::size_t size = 2048;
  // Its own, or the first free one from there.
  std::size_t slot_of(std::uintptr_t function) const {
    std::size_t at = function * 0x9e3779b97f4a7c15u >> 53;
    while (slots_[at] && slots_[at] != function) at = (at + 1) % size;
    return at;
  }

  std::size_t count_ = 0;
  std::uintptr_t slots_[size] = {};
};

// Follows code from function to function. The work list is also the list of what was seen; when it or the budget is
// full, what is not looked at counts as "may block".
class Reader {
 public:
  explicit Reader(std::uintptr_t start) : own_begin_(Object::around(start).begin()) { called_[static_cast<std::size_t>(add(start))] = true; }

  // Only whether it is one that never waits: no further than until it may. What is `known` is not read again; what has been read is then,
  // if it is one.
  bool never_waits(NeverWaiting& known) {
    for (follows_ = 0; follows_ < count_; ++follows_) {
      if (!known.has(seen_[follows_])) follow(seen_[follows_], Whole::no);
      if (!team::never_waits(facts_)) return false;
    }
    for (int i = 0; i < count_; ++i) known.add(seen_[i]);
    return true;
  }

  std::uintptr_t bytes_read() const { return bytes_; }

  CodeFacts read(Reading how) {
    auto enough = [&] { return facts_.blocks && facts_.shares && how == Reading::until_it_blocks; };
    for (bool more = true; more && !enough();) {
      more = false;
      for (follows_ = 0; follows_ < count_ && !enough(); ++follows_) {
        if (followed_[index()] || !called_[index()]) continue;
        followed_[index()] = more = true;
        follow(seen_[follows_]);
      }
    }
    facts_.blocks_itself = facts_.blocks;
    for (follows_ = 0; follows_ < count_ && !enough(); ++follows_) {
      if (!followed_[index()]) follow(seen_[follows_]);
    }
    facts_.one_works = facts_.shares && !shares_among_all_;
    if (!facts_.shares && (facts_.blocks || facts_.may_block)) facts_.takes = any_loop_takes();
    bool asked = (facts_.blocks || facts_.may_block) && !repeats(facts_);
    Rounding rounding = asked ? rounding_of(seen_[0]) : Rounding{};
    facts_.rounds = rounding.of_sum;
    facts_.computes = rounding.computes;
    facts_.each_shows = asked && facts_.asks_who;
    if (asked && !facts_.rounds && !facts_.each_shows) {
      EachThread each = each_thread(seen_[0]);
      facts_.each_shows = each.shows;
      facts_.takes_memory = each.takes_memory;
      facts_.memory = each.memory;
    }
    if (asked && !facts_.rounds && !facts_.each_shows) facts_.each_shows = looks_for_largest_count(seen_[0]);
    if (asked && !facts_.rounds && !facts_.each_shows) facts_.carries = carries_state(seen_[0]) || (facts_.own_storage && shares_loop_by_number(seen_[0]));
    return facts_;
  }

 private:
  static constexpr int most = 400, most_takers = 512, most_barriers = 64;
  static constexpr std::uintptr_t budget = 256 * 1024;

  // Where a function takes something for its thread alone, or calls one that may.
  struct Taker {
    std::uintptr_t at;
    std::int16_t in, by;  // of those seen; by: -1, itself
  };

  std::size_t index() const { return static_cast<std::size_t>(follows_); }

  int add(std::uintptr_t function) {
    for (int i = 0; i < count_; ++i) {
      if (seen_[i] == function) return i;
    }
    if (count_ < most) return seen_[count_] = function, count_++;
    unsure_ = true;
    return -1;
  }

  void add(std::uintptr_t function, std::uintptr_t at, bool called) {
    int index = add(function);
    if (index < 0) return;
    if (called) called_[static_cast<std::size_t>(index)] = true;
    add_taker(at, index);
  }

  void add_taker(std::uintptr_t at, int by) {
    if (!facts_.shares && takers_ < most_takers) taker_[takers_++] = {at, static_cast<std::int16_t>(follows_), static_cast<std::int16_t>(by)};
  }

  // Does a loop take, by itself or by what it calls, until it finds nothing more?
  bool any_loop_takes() const {
    std::bitset<most> takes;
    auto does = [&](const Taker& taker) { return taker.by < 0 || takes[static_cast<std::size_t>(taker.by)]; };
    for (bool more = true; more;) {
      more = false;
      for (int i = 0; i < takers_; ++i) {
        auto in = static_cast<std::size_t>(taker_[i].in);
        if (takes[in] || !does(taker_[i])) continue;
        takes[in] = true;
        more = true;
      }
    }
    for (int i = 0; i < takers_; ++i) {
      if (does(taker_[i]) && ends_by_what_it_finds(taker_[i])) return true;
    }
    return false;
  }

  bool ends_by_what_it_finds(const Taker& taker) const {
    std::uintptr_t start = seen_[taker.in];
    Function function = Object::around(start).starting_at(start);
    return lane::end_of_loop_around(function, taker.at) == lane::LoopEnd::by_what_it_finds;
  }

  // no: what tells whether it waits, and no more.
  enum class Whole { no, yes };

  void follow(std::uintptr_t start, Whole whole = Whole::yes) {
    object_ = Object::around(start);
    if (!object_.valid()) facts_.calls_others = true;
    if (!object_.valid() || object_.is_runtime()) return;
    is_own_ = own_begin_ == object_.begin();
    Function function = object_.starting_at(start);
    if (!function || bytes_ > budget) {
      unsure_ = true;
    } else {
      bytes_ += function.end - function.begin;
      bool may_come_back = walk(function);
      if (whole == Whole::yes && is_own_ && may_come_back) facts_.passes_wait |= lane::spins(object_, function);
    }
    if (unsure_ && !facts_.may_block) facts_.may_block = may_wait_here();
    facts_.unsure |= unsure_;
    unsure_ = false;
  }

  // Where nothing did in one function, nothing does in the object's next.
  bool may_wait_here() {
    if (object_.begin() == waits_nowhere_in_) return false;
    bool waits = imports_waiting(object_);
    if (!waits) waits_nowhere_in_ = object_.begin();
    return waits;
  }

  // May it come to one of its instructions again?
  bool walk(Function function) {
    barriers_ = 0;
    bool may_loop = false, may_come_back = false;
    function_ = function;
    auto* end = reinterpret_cast<const std::uint8_t*>(function.end);
    for (std::uintptr_t at = function.begin; at < function.end;) {
      Instruction i = read_instruction(reinterpret_cast<const std::uint8_t*>(at), end);
      may_loop |= i.kind == Instruction::jump && barriers_ && i.target <= barrier_[barriers_ - 1] && i.target >= function.begin;
      may_come_back |= i.kind == Instruction::jump_unknown || (i.kind == Instruction::jump && i.target <= at && i.target >= function.begin);
      consider(i, at);
      if (is_own_) facts_.own_storage |= lane::is_of_thread(reinterpret_cast<const std::uint8_t*>(at), end);
      if (!i.length) facts_.calls_others = true;
      at += i.length ? i.length : 1;
    }
    for (int i = 0; may_loop && i < barriers_; ++i)
      facts_.loops_barrier |= lane::end_of_loop_around(function, barrier_[i]) != lane::LoopEnd::no_loop;
    return may_come_back;
  }

  void add_barrier(std::uintptr_t at) {
    if (barriers_ < most_barriers) barrier_[barriers_++] = at;
    else facts_.loops_barrier = true;
  }

  void consider(const Instruction& i, std::uintptr_t at) {
    switch (i.kind) {
      case Instruction::call:
      case Instruction::jump:
        if (object_.starting_at(i.target)) return add(i.target, at, true);
        if (std::uintptr_t slot = object_.slot_of_stub(i.target)) return called(slot, at);
        // Into the middle of something: a part of this function set apart, as likely as not.
        if (i.kind == Instruction::call || !function_.holds(i.target)) facts_.calls_others = true;
        return;
      case Instruction::call_slot: return called(i.target, at);
      case Instruction::loads_slot:
        if (const char* name = object_.name_of_slot(i.target)) named(name, at);
        return;
      case Instruction::takes_address:
        if (object_.starting_at(i.target)) add(i.target, at, false);
        return;
      case Instruction::call_unknown: unsure_ = true; return;
      case Instruction::jump_unknown: facts_.calls_others = true; return;  // a switch's, or a call's
      default:
        if (lane::takes_number(lane::bytes_at(at), lane::bytes_at(function_.end)))
          add_taker(at, -1);
    }
  }

  void called(std::uintptr_t slot, std::uintptr_t at) {
    const char* name = object_.name_of_slot(slot);
    if (name) named(name, at);
    else facts_.calls_others = true;
  }

  void named(const char* name, std::uintptr_t at) {
    Part part = is_own_ ? part_of_name(name) : Part::none;
    facts_.asks_who |= part == Part::asks_who;
    facts_.own_storage |= is_own_ && !std::strcmp(name, "__tls_get_addr");
    facts_.shares |= shares_out(name);
    shares_among_all_ |= shares_out(name) && !lets_one_in(name);
    if (takes_one(name)) add_taker(at, -1);
    switch (kind_of_name(name)) {
      case NameKind::waits_for_others: facts_.waits_for_others = true; [[fallthrough]];
      case NameKind::waits: facts_.blocks = true; return;
      case NameKind::makes_tasks: facts_.makes_tasks = true; return;
      case NameKind::barrier: return add_barrier(at);
      case NameKind::waits_for_passes: facts_.passes_wait = true; return;
      case NameKind::forks: return;
      case NameKind::other: break;
    }
    std::uintptr_t there = address_of(object_, name);
    if (there && lane::fails_some_of_many(Object::around(there).name())) {
      facts_.fails_some = facts_.blocks = true;
      return;
    }
    if (ends_elsewhere(there)) facts_.calls_others |= !ends_at_once(name) && !is_mathematical(there);
    else add(there, at, true);
  }

  static bool ends_elsewhere(std::uintptr_t address) {
    if (!address) return true;
    Object there = Object::around(address);
    return !there.valid() || there.is_runtime();
  }

  static bool is_mathematical(std::uintptr_t address) {
    return address && std::strncmp(Object::around(address).name(), "libm.", 5) == 0;
  }

  Object object_;
  Function function_;
  CodeFacts facts_;
  bool unsure_ = false, shares_among_all_ = false, is_own_ = false;
  std::uintptr_t own_begin_, waits_nowhere_in_ = 0;
  std::uintptr_t bytes_ = 0;
  int count_ = 0, follows_ = 0, takers_ = 0, barriers_ = 0;
  std::uintptr_t seen_[most];
  std::bitset<most> called_, followed_;  // of these; called: not only by their addresses
  Taker taker_[most_takers];
  std::uintptr_t barrier_[most_barriers];
};

// The functions whose addresses a function with a fork call takes: its regions.
struct Forks {
  static constexpr int most = 64;
  bool found = false;
  int count = 0;
  std::uintptr_t regions[most];
};

lane::Addresses fork_slots(const Object& object) {
  lane::Addresses slots;
  auto note = [](void* slots_, const char* name, std::uintptr_t slot) {
    if (is_fork(name)) static_cast<lane::Addresses*>(slots_)->add(slot);
  };
  object.each_import(note, &slots);
  return slots;
}

Forks forks_of(const Object& object, Function function, const lane::Addresses& fork_slots) {
  Forks forks;
  auto* end = reinterpret_cast<const std::uint8_t*>(function.end);
  for (std::uintptr_t at = function.begin; at < function.end;) {
    Instruction i = read_instruction(reinterpret_cast<const std::uint8_t*>(at), end);
    at += i.length ? i.length : 1;
    if (i.kind == Instruction::takes_address && forks.count < Forks::most && object.starting_at(i.target))
      forks.regions[forks.count++] = i.target;
    std::uintptr_t slot = i.kind == Instruction::call_slot || i.kind == Instruction::loads_slot ? i.target : 0;
    if ((i.kind == Instruction::call || i.kind == Instruction::jump) && !(i.target >= function.begin && i.target < function.end))
      slot = object.slot_of_stub(i.target);
    forks.found |= fork_slots.has(slot);
  }
  return forks;
}

// Of all the program's objects, until a region does not hold.
struct Survey {
  static constexpr std::uintptr_t any = ~std::uintptr_t{0};
  bool (*holds)(Survey& survey, std::uintptr_t region);
  // Of code to be read. With a limit what can't be told by then, or at all, is a no.
  std::uintptr_t left_bytes = any;
  int regions = 0;
  bool all = true;
  NeverWaiting never_waiting{};
  bool is_limited() const { return left_bytes != any; }
  bool every() const { return regions > 0 && all; }
  bool may_read(std::uintptr_t bytes) {
    if (!is_limited()) return true;
    bool may = bytes <= left_bytes;
    left_bytes -= may ? bytes : left_bytes;
    return may;
  }
};

// Until one does not hold.
bool all_regions_hold(const Object& object, Survey& survey) {
  constexpr std::uintptr_t looked_through = 8;  // bytes, while one is read
  const lane::Addresses slots = fork_slots(object);
  for (std::uint32_t f = 0; slots.any() && f < object.functions(); ++f) {
    Function function = object.function(f);
    std::uintptr_t bytes = function.end - function.begin;
    if (!survey.may_read(1 + bytes / looked_through)) return false;
    if (!function || !lane::may_use(object, function, slots) || object.is_linkage(function)) continue;
    Forks forks = forks_of(object, function, slots);
    if (!survey.may_read(bytes)) return false;
    if (!forks.found) continue;
    if (survey.is_limited() && (!forks.count || forks.count == Forks::most)) return false;
    for (int i = 0; i < forks.count; ++i, ++survey.regions) {
      if (!survey.holds(survey, forks.regions[i])) return false;
    }
  }
  return true;
}

// What begins teams in other ways, and what brings code along later.
bool leaves_unknown(const Object& object) {
  bool found = false;
  object.each_import(
      [](void* found_, const char* name, std::uintptr_t) {
        for (const char* with : {"__kmpc_fork_teams", "GOMP_teams", "dlopen", "dlmopen"})
          *static_cast<bool*>(found_) |= !std::strncmp(name, with, std::strlen(with));
      },
      &found);
  return found;
}

void survey_object(const Object& object, Survey& survey) {
  if (!object.valid() || object.is_runtime()) return;
  bool unknown = survey.is_limited() && leaves_unknown(object);
  survey.all = !unknown && all_regions_hold(object, survey);
}

bool does_not_wait(Survey& survey, std::uintptr_t region) {
  Reader reader(region);
  bool never = reader.never_waits(survey.never_waiting);
  return survey.may_read(reader.bytes_read()) && never;
}

bool blocks_in_its_shares(Survey&, std::uintptr_t region) {
  CodeFacts facts = Reader(region).read(Reading::to_the_end);
  return starts_wide(facts) && !facts.computes && !facts.memory.any();
}

bool all_hold(Survey survey) {
  auto look = [](dl_phdr_info* info, std::size_t, void* survey_) {
    auto& survey_here = *static_cast<Survey*>(survey_);
    survey_object(Object::of(*info), survey_here);
    return survey_here.all ? 0 : 1;
  };
  sys::each_object(look, &survey);
  return survey.every();
}

}  // namespace

const char* why_bare(const CodeFacts& facts) {
  if (facts.passes_wait) return passes_wait;
  if (facts.fails_some) return some_would_fail;
  if (facts.rounds) return rounds_otherwise;
  if (facts.each_shows) return each_is_seen;
  if (facts.carries) return carries_over;
  if (facts.takes_memory) return each_takes_memory;
  if (repeats(facts)) return all_do_the_same;
  return nullptr;
}

bool starts_wide(const CodeFacts& facts) { return (facts.blocks || facts.may_block) && !facts.loops_barrier && !why_bare(facts); }

CodeFacts read_code(const void* code, Reading how) {
  return Reader(reinterpret_cast<std::uintptr_t>(code)).read(how);
}

bool every_region_blocks() { return all_hold({blocks_in_its_shares}); }

bool no_region_waits() { return all_hold({does_not_wait, most_bytes_to_tell}); }

bool no_region_waits_in(const Object& object, std::uintptr_t most_bytes) {
  Survey survey{does_not_wait, most_bytes};
  survey_object(object, survey);
  return survey.every();
}

}  // namespace weir::team
