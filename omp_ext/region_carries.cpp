// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_carries.h"

#include <cstring>

#include "base/names.h"
#include "lane/flow.h"
#include "lane/instruction.h"
#include "lane/object.h"
#include "lane/place.h"
#include "omp_ext/region_body.h"
#include "omp_ext/region_code.h"
#include "omp_ext/region_part.h"

namespace weir::team {
namespace {

using lane::Flow;
using lane::Function;
using lane::Instruction;
using lane::Object;
using lane::Operands;

using enum lane::Register;

bool keeps_over_calls(int of) { return of == rbx || of == rbp || of >= r12; }

// Where something stands: in the frame, as seen from where the function has made room for it; or where what a call gave back points to.
// 0: nowhere.
using Slot = std::int64_t;
constexpr int given_back = 16, number = 17;  // bases that no register is; number: what it gave back itself, in 32 bits
constexpr Slot slot_of(int base, std::int64_t displacement) { return (std::int64_t{1} + base) << 32 | static_cast<std::uint32_t>(displacement); }

class Slots {
 public:
  void add(Slot slot) {
    if (!slot || has(slot)) return;
    if (count_ < most) slots_[count_++] = slot;
    else full_ = true;
  }
  bool has(Slot slot) const {
    for (int i = 0; i < count_; ++i) {
      if (slots_[i] == slot) return true;
    }
    return full_;
  }

 private:
  static constexpr int most = 256;
  Slot slots_[most];
  int count_ = 0;
  bool full_ = false;
};

constexpr const char* copying[] = {"memcpy", "memmove", "__memcpy_chk", "__memmove_chk"};

// Those of libc's and the like that leave something where they were pointed to for their next call.
bool leaves_state(const char* name) {
  std::size_t length = std::strlen(name);
  return (length > 2 && !std::strcmp(name + length - 2, "_r")) || std::strstr(name, "rand48");
}

bool may_keep_state(const Object& in, const Instruction& i, Named named) {
  if (!named.name) return named.function || i.kind == Instruction::call_unknown || i.kind == Instruction::call_slot;
  // Whoever provides them: a sanitizer, say, or an allocator.
  if (ends_at_once(named.name) || kind_of_name(named.name) != NameKind::other) return false;
  std::uintptr_t there = address_of(in, named.name);
  Object object = there ? Object::around(there) : Object();
  return !object.valid() || !object.is_runtime() || leaves_state(named.name);
}

// One that gives its numbers from what it is pointed to.
bool is_generator(const char* name) { return leaves_state(name) && std::strstr(name, "rand"); }

class Frame {
 public:
  Frame(const Object& object, Function function)
      : object_(object), function_(function), flow_(function), has_pointer_(lane::has_frame_pointer(function)) {
    if (flow_.fits()) flow_.find_ways();
  }

  bool carries() {
    if (!flow_.fits() || !is_shared_by_number(object_, flow_)) return false;
    for (int block = 0; block < flow_.count(); ++block) in_loops_[static_cast<std::size_t>(block)] = flow_.is_in_loop(block);
    for (int block = 0; block < flow_.count(); ++block) {
      // (What catches an exception has nobody before it, though it may go on in the loop.)
      if (!loops(block) && flow_.may_pass(block) && leads_to_loop(block)) walk(block, false);
    }
    for (int block = 0; block < flow_.count() && !carries_; ++block) {
      if (loops(block)) walk(block, true);
    }
    return carries_ || (reads_on_ && !seeks_);
  }

 private:
  // (Behind it, what stood in the loop may be something else's place.)
  bool leads_to_loop(int block) const { return (flow_.after(block, {}) & in_loops_).any(); }
  bool loops(int block) const { return in_loops_[static_cast<std::size_t>(block)]; }

  // How much lower an instruction leaves the stack's pointer.
  static std::int64_t lowers(const Operands& o) {
    bool plain = o.map == 0 && !o.vector, whole = plain && o.has_modrm && !o.in_memory && o.second == rsp;
    if (!plain) return 0;
    if ((o.opcode & 0xf8) == 0x50 || o.opcode == 0x68 || o.opcode == 0x6a || (o.opcode == 0xff && (o.first & 7) == 6)) return 8;
    if ((o.opcode & 0xf8) == 0x58) return -8;
    if (whole && (o.opcode == 0x81 || o.opcode == 0x83)) return (o.first & 7) == 5 ? o.immediate : (o.first & 7) == 0 ? -o.immediate : 0;
    return 0;
  }

  std::int64_t lowered_by(Function code) const {
    std::int64_t sum = 0;
    each_of(code, [&](const Operands& o, const Instruction&) { sum += lowers(o); });
    return sum;
  }

  template <typename Fn>
  void each_of(Function code, Fn fn) const {
    for (std::uintptr_t at = code.begin; at < code.end;) {
      Operands o = lane::read_operands(lane::bytes_at(at), lane::bytes_at(code.end));
      Instruction i = lane::read_instruction(lane::bytes_at(at), lane::bytes_at(code.end));
      if (o.length) fn(o, i);
      at += o.length ? o.length : 1;
    }
  }

  // What a block puts into the frame before the loops, and whose addresses it hands on; in a loop, to whom.
  void walk(int block, bool in_loop) {
    Function code = flow_.code_of(block);
    low_ = block == 0 ? -lowered_by(code) : 0;  // the first block makes the room; others find it made
    for (int r = 0; r < 16; ++r) holds_[r] = in_loop && keeps_over_calls(r) ? kept_[r] : 0;
    each_of(code, [&](const Operands& o, const Instruction& i) {
      low_ += lowers(o);
      bool call = i.kind == Instruction::call || i.kind == Instruction::call_slot || i.kind == Instruction::call_unknown;
      if (call) called(i, in_loop);
      else changes(o, in_loop);
    });
    for (int r = 0; r < 16 && !in_loop; ++r) {
      if (keeps_over_calls(r) && holds_[r]) kept_[r] = holds_[r];
    }
  }

  void called(const Instruction& i, bool in_loop) {
    Named named = named_by(object_, i);
    Part part = named.name ? part_of_name(named.name) : Part::none;
    bool is_part = part != Part::none, opens = part == Part::opens;
    bool keeps = !is_part && may_keep_state(object_, i, named);
    bool copies = named.name && base::among(named.name, copying);
    if (in_loop && named.name) called_again(named.name, part);
    if (copies && !in_loop) set_.add(holds_[rdi]);
    for (int r : lane::argument_registers) {
      if (opens && !in_loop) opened_.add(holds_[r]);
      if (keeps && !in_loop) set_.add(holds_[r]);
      else carries_ |= keeps && holds_[r] && set_.has(holds_[r]);
    }
    for (int r = 0; r < 16; ++r) {
      if (!keeps_over_calls(r)) holds_[r] = 0;
    }
    if (in_loop || (is_part && !opens)) return;
    holds_[rax] = slot_of(given_back, ++calls_);
    if (opens) opened_.add(holds_[rax]), opened_.add(slot_of(number, calls_));
    if (keeps) set_.add(holds_[rax]);
  }

  // For each pass of a loop.
  void called_again(const char* name, Part part) {
    bool seeks = std::strstr(name, "seek") || !std::strncmp(name, "rewind", 6);  // says first what is read next
    bool of_frame = false, of_opened = false;
    for (int r : lane::argument_registers) {
      of_frame |= holds_[r] != 0;
      of_opened |= holds_[r] && opened_.has(holds_[r]);
    }
    seeks_ |= seeks;
    reads_on_ |= part == Part::brings && !seeks && of_opened;
    carries_ |= is_generator(name) && !of_frame;  // an element of a table, for each thread its own
  }

  void changes(const Operands& o, bool in_loop) {
    bool plain = o.map == 0 && !o.vector;
    if (plain && o.opcode == 0x8d) return put(o.first, o.index < 0 ? in_frame(o) : 0);
    bool moves = plain && o.has_modrm && !o.in_memory;
    if (moves && o.opcode == 0x89) return put(o.second, moved(o, held(o.first)));
    if (moves && o.opcode == 0x8b) return put(o.first, moved(o, held(o.second)));
    if (plain && o.in_memory && o.opcode == 0x8b) return put(o.first, moved(o, kept_in(in_frame(o))));
    if (plain && o.in_memory && o.opcode == 0x89 && !in_loop) keep_in(in_frame(o), moved(o, held(o.first)));
    bool copies = plain && (o.opcode == 0xa4 || o.opcode == 0xa5);  // movs
    if (copies && !in_loop) set_.add(holds_[rdi]);
    if (!in_loop && o.in_memory && stores(o)) set_.add(in_frame(o));
    for (int r = 0; r < 16; ++r) {
      if (holds_[r] && places_.change({r, false, 0}, {}, o).what != lane::Change::nothing) holds_[r] = 0;
    }
  }

  bool stores(const Operands& o) const {
    lane::Place place = places_.second_of(o);
    if (place) return places_.change(place, {}, o).what != lane::Change::nothing;
    return o.index >= 0 && o.map == 0 && !o.vector && (o.opcode | 1) == 0x89;
  }

  Slot in_frame(const Operands& o) const {
    if (!o.in_memory && o.opcode != 0x8d) return 0;
    if (o.base == rsp) return slot_of(rsp, o.displacement - low_);
    return o.base == rbp && has_pointer_ ? slot_of(rbp, o.displacement) : 0;
  }

  // Of 32 bits only what a call gave back, a descriptor say.
  static Slot moved(const Operands& o, Slot what) {
    if (o.wide || is_number(what)) return what;
    return what >> 32 == given_back + 1 ? slot_of(number, what) : 0;
  }
  static bool is_number(Slot what) { return what >> 32 == number + 1; }

  // The stack's pointer is the address of what lies there.
  Slot held(int by) const { return by == rsp ? slot_of(rsp, -low_) : holds_[by & 15]; }
  // The frame keeps addresses, too.
  void keep_in(Slot slot, Slot address) {
    if (slot && address && addresses_ < most_addresses) kept_at_[addresses_++] = {slot, address};
  }
  Slot kept_in(Slot slot) const {
    Slot address = 0;
    for (int i = 0; slot && i < addresses_; ++i) {
      if (kept_at_[i].slot == slot) address = kept_at_[i].address;
    }
    return address;
  }
  void put(int into, Slot slot) { holds_[into & 15] = slot; }

  Object object_;
  Function function_;
  Flow flow_;
  Flow::Blocks in_loops_;
  lane::Places places_{function_};
  bool has_pointer_, carries_ = false;
  bool reads_on_ = false, seeks_ = false;  // in a loop, from what was opened before it
  std::int64_t low_ = 0;
  Slot holds_[16] = {}, kept_[16] = {};  // what addresses registers hold, and those before the loops
  Slots set_;                            // what has a value before them
  Slots opened_;                         // or stands for a file that is open
  static constexpr int most_addresses = 64;
  struct Kept {
    Slot slot, address;
  } kept_at_[most_addresses];
  int addresses_ = 0, calls_ = 0;
};

}  // namespace

bool shares_loop_by_number(std::uintptr_t code) {
  Object object = Object::around(code);
  Function function = object.valid() ? object.starting_at(code) : Function{};
  if (!function) return false;
  Flow flow(function);
  if (!flow.fits() || !is_shared_by_number(object, flow)) return false;
  flow.find_ways();
  for (int block = 0; block < flow.count(); ++block) {
    if (flow.is_in_loop(block)) return true;
  }
  return false;
}

bool carries_state(std::uintptr_t code) {
  Object object = Object::around(code);
  if (!object.valid()) return false;
  Function function = object.starting_at(code);
  return function && Frame(object, function).carries();
}

}  // namespace weir::team
