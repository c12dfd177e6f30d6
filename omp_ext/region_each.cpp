// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_each.h"

#include <algorithm>
#include <limits>

#include "lane/arithmetic.h"
#include "lane/branch.h"
#include "lane/constants.h"
#include "lane/flow.h"
#include "lane/instruction.h"
#include "lane/loop.h"
#include "lane/object.h"
#include "lane/place.h"
#include "lane/value.h"
#include "omp_ext/region_adds.h"
#include "omp_ext/region_body.h"
#include "omp_ext/region_code.h"
#include "omp_ext/region_makes.h"
#include "omp_ext/region_part.h"

namespace weir::team {
namespace {

using lane::Flow;
using lane::Function;
using lane::Instruction;
using lane::Object;

// Whatever it does.
bool calls_unknown(const Instruction& i, Named named) {
  return i.kind == Instruction::call_unknown || (i.kind == Instruction::call_slot && !named.name);
}

// A function that ends the program or throws, whatever happens. Those that do are short.
bool never_returns(const Object& object, std::uintptr_t start) {
  constexpr std::uintptr_t longest = 512;
  Function function = object.starting_at(start);
  if (!function || function.end - function.begin > longest) return false;
  Flow flow(function);
  if (!flow.fits()) return false;
  each_instruction(object, flow, [&](int block, const Instruction& i, std::uintptr_t, Named named) {
    if (named.name && i.kind != Instruction::loads_slot && part_of_name(named.name) == Part::never_returns) flow.ends_in(block);
  });
  flow.find_ways();
  return !flow.may_pass(0);
}

// One function, and what of it each thread does once.
class Body {
 public:
  Body(const Object& object, Function function, bool is_region, bool is_own)
      : object_(object), function_(function), flow_(function), is_region_(is_region), is_own_(is_own) {
    if (!flow_.fits()) return;
    auto note_each = [this](int block, const Instruction& i, std::uintptr_t at, Named named) { note(block, i, at, named); };
    each_instruction(object_, flow_, note_each);
    shares_by_number_ &= asks_which_;
    shares_loop_ |= shares_by_number_;
    flow_.find_ways();
    share_.find(flow_);
    alone_.find(flow_);
  }

  // And calls(function, in_loop) for what it calls: also where a loop takes pieces by hand, the first of which may stand before it.
  template <typename Fn>
  EachThread look(Fn calls) const {
    EachThread each;
    each.shows = is_region_ && (!flow_.fits() || share_.is_full());  // who knows
    if (!flow_.fits()) return each;
    Place place{-1};
    const Flow::Blocks shared = shared_loops();
    each_instruction(object_, flow_, [&](int block, const Instruction& i, std::uintptr_t at, Named named) {
      if (block != place.block) place = place_of(block);
      bool own_loop = is_region_ && place.loops && !shared[static_cast<std::size_t>(block)] && !share_.holds(block, at);
      each.shows |= own_loop && flow_.may_pass(block) && is_call(i) && waits(named);
      if (place.loops && !shares_loop_ && i.kind != Instruction::loads_slot) calls(function_of(object_, named), true);
      if (!place.each || share_.holds(block, at)) return;
      Part part = named.name && i.kind != Instruction::loads_slot ? part_of_name(named.name) : Part::none;
      each.brings |= part == Part::brings;
      each.opens |= part == Part::opens;
      each.shows |= part == Part::brings && alone_.holds(block, at);
      each.shows |= named.name && (part_of_name(named.name) == Part::shows || makes_file(named.name, flow_.code_of(block), at, is_own_));
      each.shows |= is_own_ && calls_unknown(i, named);
      if (is_region_ && named.name && is_call(i)) takes(named.name, block, at, shared, each);
      if (i.kind != Instruction::loads_slot) calls(function_of(object_, named), false);
    });
    each.shows |= is_own_ && asks_who_;
    each.shows |= (is_region_ || reduces_) && adds_its_own(object_, function_, flow_, {share_, alone_, shared, shares_loop_});
    each.counts = is_own_ && counts();
    return each;
  }

 private:
  void takes(const char* name, int block, std::uintptr_t at, const Flow::Blocks& shared, EachThread& each) const {
    std::uint64_t bytes = memory_taken(name, flow_.code_of(block), at);
    bool is_known = bytes != std::numeric_limits<std::uint64_t>::max();
    if (!is_known && joins(block, at, shared)) return;
    each.takes_memory |= is_known ? bytes > most_memory : !each.memory.add(name, at);
  }

  // Behind the loop, while no other does: what is made there of what the loop gave is as large in all, however many share it.
  bool joins(int block, std::uintptr_t at, const Flow::Blocks& shared) const {
    if (!alone_.holds(block, at)) return false;
    for (int of = 0; of < flow_.count(); ++of) {
      if (shared[static_cast<std::size_t>(of)] && flow_.after(of, {})[static_cast<std::size_t>(block)]) return true;
    }
    return false;
  }

  void note(int block, const Instruction& i, std::uintptr_t at, Named named) {
    if (named.function && is_call(i) && never_returns(object_, named.function)) flow_.ends_in(block);
    mark_alone(alone_, object_, block, i, at, named);
    if (lane::takes_number(lane::bytes_at(at), lane::bytes_at(flow_.code_of(block).end))) takes_[static_cast<std::size_t>(block)] = true;
    if (!named.name) return;
    switch (Part part = part_of_name(named.name)) {
      case Part::never_returns: if (i.kind != Instruction::loads_slot) flow_.ends_in(block); return;
      case Part::one_enters: return entered_by_one(block, at + i.length, false);
      case Part::share_begins:
      case Part::share_ends: shares_loop_ = true; return share_.mark(block, at, part == Part::share_ends);
      case Part::takes_own_piece:
      case Part::takes_piece: takes_[static_cast<std::size_t>(block)] = shares_loop_ = true; return;
      case Part::alone_begins: takes_[static_cast<std::size_t>(block)] = true; return;
      case Part::asks_who: asks_who_ = true; return;
      case Part::reduces: reduces_ = true; return;
      case Part::asks_number: return asked_number(i, at + i.length);
      case Part::first_enters: asks_which_ = true; return entered_by_one(block, at + i.length, true);
      default: return;
    }
  }

  // gcc's static loop asks for it.
  void asked_number(const Instruction& i, std::uintptr_t after) {
    shares_by_number_ |= is_call(i) && lane::use_of_number(object_, function_, after, lane::Number::of_threads, true) != lane::Use::elsewhere;
  }

  // Each thread would wait for itself, however many there are. (By a call of its own: what a function does is not followed.)
  static bool waits(Named named) {
    NameKind kind = named.name ? kind_of_name(named.name) : NameKind::other;
    return kind == NameKind::waits || kind == NameKind::waits_for_others;
  }

  // The loops that are shared out, or that take pieces by hand, as far as they can be told: else all of them.
  Flow::Blocks shared_loops() const {
    Flow::Blocks loops, shared;
    for (int block = 0; block < flow_.count(); ++block) loops[static_cast<std::size_t>(block)] = flow_.is_in_loop(block);
    if (!shares_loop_ || shares_by_number_) return loops;
    for (int block = 0; block < flow_.count(); ++block) {
      auto at = static_cast<std::size_t>(block);
      if (takes_[at]) shared |= flow_.loop_around(block);
      shared[at] = shared[at] || (loops[at] && share_.holds(block, flow_.code_of(block).begin));
    }
    return shared;
  }

  void entered_by_one(int block, std::uintptr_t behind, bool if_zero) {
    int way = lane::way_if(if_zero, {behind, flow_.code_of(block).end});
    if (way >= 0) flow_.cut(block, way);
  }

  // Who runs a block.
  struct Place {
    int block;
    bool each = false;  // each thread, once, on some way that counts
    bool loops = false;
  };

  Place place_of(int block) const {
    bool passes = is_region_ ? flow_.may_pass(block) : flow_.always_passes(block);
    bool loops = flow_.is_in_loop(block);
    return {block, passes && !loops, loops};
  }

  // Adds one to what all threads see, or takes a number, and not as a loop does for each piece. (Of such a loop the first pass may
  // stand before it, and adds to the same. A region whose loop OpenMP shares out takes no pieces by hand; what counts in a loop there counts the passes.) With a
  // lock held, also what some do only, and what is moved on by something else than one, as the end of a vector.
  bool counts() const {
    bool once = false, in_loops = false;
    Counted looped[most_counted];
    int loops = 0;
    each_count([&](int block, const Place& place, const Instruction& i, std::uintptr_t at, bool alone) {
      if (!place.loops || !is_count(block, at, alone)) return;
      in_loops = true;
      if (loops < most_counted) looped[loops++] = counted_by(block, i, at);
    });
    auto is_pass = [&](const Counted& one) {
      return loops == most_counted || !std::all_of(looped, looped + loops, [&](const Counted& other) { return one.differs(other); });
    };
    Flow::Blocks where;
    each_count([&](int block, const Place& place, const Instruction& i, std::uintptr_t at, bool alone) {
      if (place.loops || share_.holds(block, at)) return;
      if (in_loops && !shares_loop_ && is_pass(counted_by(block, i, at))) return;
      where[static_cast<std::size_t>(block)] = true;
      once |= alone && (shares_loop_ || !is_region_) && flow_.may_pass(block);
    });
    return once || flow_.all_pass(where);
  }

  static constexpr int most_counted = 16;

  // fn(block, its place, instruction, its address, with a lock held) for each that counts, or moves on with a lock held.
  template <typename Fn>
  void each_count(Fn fn) const {
    Place place{-1};
    each_instruction(object_, flow_, [&](int block, const Instruction& i, std::uintptr_t at, Named) {
      bool alone = alone_.holds(block, at);
      if (!is_count(block, at, alone) && !(alone && moves_on(block, at))) return;
      if (block != place.block) place = place_of(block);
      fn(block, place, i, at, alone);
    });
  }

  // What is counted, as far as it can be told from others.
  struct Counted {
    std::uintptr_t address = 0;  // 0: behind a pointer,
    int base = -1;               // in this register; -1: not known
    std::int32_t displacement = 0;
    bool differs(const Counted& other) const {
      if (address && other.address) return address != other.address;
      return base >= 0 && base == other.base && displacement != other.displacement;
    }
  };
  Counted counted_by(int block, const Instruction& i, std::uintptr_t at) const {
    lane::Operands o = lane::read_operands(lane::bytes_at(at), lane::bytes_at(flow_.code_of(block).end));
    if (!o.in_memory || o.index >= 0) return {};
    return o.base < 0 ? Counted{i.target} : Counted{0, o.base, o.displacement};
  }

  bool is_count(int block, std::uintptr_t at, bool alone) const {
    const std::uint8_t *code = lane::bytes_at(at), *end = lane::bytes_at(flow_.code_of(block).end);
    if (lane::adds_at_once(code, end) || adds_constant(block, at)) return true;
    if (!lane::steps_by_one(code, end) && !lane::takes_number(code, end)) return false;
    return lane::is_locked(code) || alone;
  }

  // One that stands in a register.
  bool adds_constant(int block, std::uintptr_t at) const {
    lane::Operands o = lane::read_operands(lane::bytes_at(at), lane::bytes_at(flow_.code_of(block).end));
    bool adds = o.length && o.map == 0 && !o.vector && o.in_memory && o.opcode < 0x38 && (o.opcode & 7) < 2;
    if (!adds || !lane::is_locked(lane::bytes_at(at))) return false;
    auto with = lane::constants_before(flow_.code_of(block), at).in(o.first);
    return with && *with;
  }

  bool moves_on(int block, std::uintptr_t at) const {
    return lane::moves_on(lane::bytes_at(at), lane::bytes_at(flow_.code_of(block).end), has_frame_pointer_);
  }

  Object object_;
  Function function_;
  Flow flow_;
  bool has_frame_pointer_ = lane::has_frame_pointer(function_);
  bool is_region_, is_own_;  // of the region's object
  bool asks_who_ = false, asks_which_ = false, shares_loop_ = false, shares_by_number_ = false, reduces_ = false;
  Flow::Blocks takes_;  // a piece of a loop
  Zone share_, alone_;
};

// A region, and what each of its threads calls once.
class Reach {
 public:
  explicit Reach(std::uintptr_t region) : seen_{region} {}

  EachThread read() {
    for (int next = 0; next < count_ && !each_.shows; ++next) read(next);
    for (int f = 0; f < count_; ++f) each_.shows |= counts_[f] && !is_called_in_loop(seen_[f]);
    each_.shows |= each_.brings && !each_.opens;
    return each_;
  }

 private:
  static constexpr int most = 256;
  static constexpr std::uintptr_t budget = 256 * 1024;

  void read(int next) {
    Object object = Object::around(seen_[next]);
    if (!object.valid() || object.is_runtime()) return;
    Function function = object.starting_at(seen_[next]);
    if (!function) return;
    bytes_ += function.end - function.begin;
    if (!next) own_ = object.begin();
    auto add = [this](std::uintptr_t called, bool in_loop) { in_loop ? add_looped(called) : this->add(called); };
    EachThread here = Body(object, function, next == 0, object.begin() == own_).look(add);
    if (!next) each_.memory = here.memory;
    each_.takes_memory |= here.takes_memory;
    each_.shows |= here.shows || bytes_ > budget;  // beyond it: who knows
    each_.brings |= here.brings;
    each_.opens |= here.opens;
    counts_[next] = here.counts;
  }

  void add(std::uintptr_t function) {
    if (!function || std::find(seen_, seen_ + count_, function) != seen_ + count_) return;
    if (count_ < most) seen_[count_++] = function;
    else each_.shows = true;
  }

  void add_looped(std::uintptr_t function) {
    if (function && looped_count_ < most && !is_called_in_loop(function)) looped_[looped_count_++] = function;
  }
  bool is_called_in_loop(std::uintptr_t function) const {
    return std::find(looped_, looped_ + looped_count_, function) != looped_ + looped_count_;
  }

  std::uintptr_t seen_[most], looped_[most];
  bool counts_[most] = {};
  int count_ = 1, looped_count_ = 0;
  std::uintptr_t bytes_ = 0, own_ = 0;
  EachThread each_;
};

}  // namespace

EachThread each_thread(std::uintptr_t code) { return Reach(code).read(); }

}  // namespace weir::team
