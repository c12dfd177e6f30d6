// SPDX-License-Identifier: Apache-2.0
#include "lane/rehearsal.h"

#include <iterator>

#include "lane/instruction.h"

namespace weir::lane {
namespace {

// What an instruction does, where it does not say where to go on.
class Step {
 public:
  Step(Pretence& state, const Operands& o, const Instruction& i, std::uintptr_t at)
      : s_(state), o_(o), i_(i), bytes_(o.wide ? 8 : 4), of_thread_(is_of_thread(at)) {}

  void take() {
    bool vectors = o_.vector || o_.map > 1;
    if (vectors) return of_vectors();
    if (o_.map == 1) return longer();
    if (o_.narrow && o_.opcode != 0x90) return unknown();
    if (o_.opcode < 0x40) return by_arithmetic();
    rest();
  }

 private:
  enum Arithmetic { add, or_, adc, sbb, and_, sub, xor_, cmp };

  // Of the thread's own memory, which is another's.
  static bool is_of_thread(std::uintptr_t at) {
    for (const std::uint8_t* byte = bytes_at(at);; ++byte) {
      if (*byte == 0x64 || *byte == 0x65) return true;
      if (*byte != 0x66 && *byte != 0xf2 && *byte != 0xf3 && *byte != 0x2e && *byte != 0x3e && *byte != 0x26 && *byte != 0x36) return false;
    }
  }

  Word address() const { return of_thread_ ? Word() : s_.address_of(o_, i_); }
  Word second() const { return o_.in_memory ? s_.load(address(), bytes_) : masked(s_.in(o_.second)); }
  Word first() const { return masked(s_.in(o_.first)); }
  Word masked(Word value) const { return value && !o_.wide ? Word(*value & 0xffffffff) : value; }
  Word constant() const { return masked(static_cast<std::uint64_t>(o_.immediate)); }
  void put_second(Word value) {
    if (o_.in_memory) s_.store(address(), value, bytes_);
    else s_.put(o_.second, value, o_.wide);
  }
  void put_first(Word value) { s_.put(o_.first, value, o_.wide); }
  void lose_memory(int bytes) {
    if (o_.in_memory) s_.store(address(), {}, bytes);
  }

  // One that is not read: nothing that it may have changed is known.
  void unknown() {
    s_.flags.forget();
    if (!o_.has_modrm) return s_.forget(rax), s_.forget(o_.in_opcode);
    s_.forget(o_.first);
    if (!o_.in_memory) s_.forget(o_.second);
    lose_memory(8);
  }

  void of_vectors() {
    constexpr int widest = 64;
    lose_memory(widest);
    bool general = o_.map > 1 ? (o_.opcode & 0xf0) == 0xf0 || (o_.map == 3 && o_.opcode >= 0x14 && o_.opcode <= 0x17)
                              : o_.opcode == 0x2c || o_.opcode == 0x2d || o_.opcode == 0x50 || o_.opcode == 0x7e || o_.opcode == 0xd7 || o_.opcode == 0xc5;
    bool sets_flags = o_.opcode == 0x2e || o_.opcode == 0x2f || o_.opcode == 0x17 || general;
    if (sets_flags) s_.flags.forget();
    if (!general) return;
    // It names one more register, or two, where it is not read.
    for (int of = 0; of < 16; ++of) {
      if (of != rsp && (o_.vector || of == o_.first || of == o_.second)) s_.forget(of);
    }
  }

  // Of two bytes.
  void longer() {
    int op = o_.opcode;
    bool is_nop = op >= 0x18 && op <= 0x1f;
    if (is_nop) return;
    bool vectors = (op >= 0x10 && op <= 0x17) || (op >= 0x28 && op <= 0x2f) || (op >= 0x50 && op <= 0x7f) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6) ||
                   op >= 0xd0;
    if (vectors) return of_vectors();
    if ((op & 0xf0) == 0x40) return move_if(s_.flags.meet(op));
    if ((op & 0xf0) == 0x90) return put_byte();
    if (op == 0xaf) return multiply(first(), second());
    if (op == 0xb6 || op == 0xb7) return extend(op & 1 ? 2 : 1, false);
    if (op == 0xbe || op == 0xbf) return extend(op & 1 ? 2 : 1, true);
    unknown();
    for (int of : {rax, rcx, rdx}) s_.forget(of);
  }

  void move_if(std::optional<bool> so) {
    Word from = second(), before = first();
    put_first(!so ? (from && before && *from == *before ? from : Word()) : *so ? from : before);
  }

  void put_byte() {
    if (o_.in_memory) return lose_memory(1);
    s_.forget(o_.second);
    if (o_.second >= 4 && o_.second < 8) s_.forget(o_.second - 4);  // ah and kin, without a prefix
  }

  void extend(int from_bytes, bool sign) {
    Word value = o_.in_memory ? s_.load(address(), from_bytes) : s_.in(o_.second);
    bool second_byte = !o_.in_memory && from_bytes == 1 && o_.second >= 4 && o_.second < 8;
    if (second_byte) value = {};
    if (value) value = sign ? extended(*value, from_bytes) : *value & ((std::uint64_t{1} << 8 * from_bytes) - 1);
    put_first(value);
  }
  static std::uint64_t extended(std::uint64_t value, int bytes) {
    int left = 64 - 8 * bytes;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << left) >> left);
  }

  void multiply(Word a, Word b) {
    s_.flags.forget();
    put_first(a && b ? Word(*a * *b) : Word());
  }

  // The result, if it is kept.
  void compute(int what, Word a, Word b, bool to_second) {
    Word result;
    bool same = o_.opcode < 0x40 && !o_.in_memory && o_.first == o_.second;
    if ((what == xor_ || what == sub) && same) a = b = 0;
    if (a && b) {
      switch (what) {
        case add: result = *a + *b; break;
        case or_: result = *a | *b; break;
        case and_: result = *a & *b; break;
        case sub: case cmp: result = *a - *b; break;
        case xor_: result = *a ^ *b; break;
        default: break;
      }
    }
    if (what == sub || what == cmp) s_.flags.of_difference(a, b, bytes_);
    else if (what == and_ || what == or_ || what == xor_) s_.flags.of_bits(result, bytes_);
    else s_.flags.of_result(result, bytes_);
    if (what == cmp) return;
    if (to_second) put_second(result);
    else put_first(result);
  }

  void by_arithmetic() {
    int what = o_.opcode >> 3, form = o_.opcode & 7;
    if (form == 1) return compute(what, second(), first(), true);
    if (form == 3) return compute(what, first(), second(), false);
    if (form == 5) return with_rax(what);
    // Of bytes.
    s_.flags.forget();
    if (what == cmp) return;
    if (form == 0) put_byte();
    else if (form == 2) s_.forget(o_.first);
    else s_.forget(rax);
  }

  void with_rax(int what) {
    Operands plain = o_;
    plain.has_modrm = true;
    plain.in_memory = false;
    plain.second = rax;
    plain.first = -1;
    Step(s_, plain, i_, of_thread_).compute(what, masked(s_.in(rax)), constant(), true);
  }
  Step(Pretence& state, const Operands& o, const Instruction& i, bool of_thread)
      : s_(state), o_(o), i_(i), bytes_(o.wide ? 8 : 4), of_thread_(of_thread) {}

  void push(Word value) {
    Word top = s_.in(rsp);
    if (top) top = *top - 8;
    s_.put(rsp, top, true);
    s_.store(top, value, 8);
  }
  Word pop() {
    Word top = s_.in(rsp), value = s_.load(top, 8);
    s_.put(rsp, top ? Word(*top + 8) : top, true);
    return value;
  }

  void shift(Word by) {
    enum { left = 4, right = 5, also_left = 6, right_signed = 7 };
    int how = o_.first & 7;
    Word value = second(), result;
    int count = by ? static_cast<int>(*by & (o_.wide ? 63 : 31)) : 0;
    if (by && !count) return;
    if (value && by && (how == left || how == also_left)) result = *value << count;
    if (value && by && how == right) result = *value >> count;
    if (value && by && how == right_signed)
      result = static_cast<std::uint64_t>(static_cast<std::int64_t>(extended(*value, bytes_)) >> count);
    s_.flags.of_result(how >= left ? masked(result) : Word(), bytes_);
    put_second(result);
  }

  void of_one() {
    enum { test, also_test, not_, neg, mul, imul, div, idiv };
    int what = o_.first & 7;
    Word value = second();
    if (what <= also_test) {
      Word by = constant();
      return s_.flags.of_bits(value && by ? Word(*value & *by) : Word(), bytes_);
    }
    if (what == not_) return put_second(value ? Word(~*value) : value);
    if (what == neg) {
      s_.flags.of_difference(0, value, bytes_);
      return put_second(value ? Word(-*value) : value);
    }
    Word low = masked(s_.in(rax)), high = masked(s_.in(rdx)), result, rest;
    if (value && low && what == mul) multiply_long(static_cast<Long>(*low) * *value, result, rest);
    if (value && low && what == imul) multiply_long(static_cast<Long>(signed_of(*low)) * static_cast<Long>(signed_of(*value)), result, rest);
    if (what == div && value && *value && low && high && !*high) result = *low / *value, rest = *low % *value;
    if (what == idiv) divide(value, low, high, result, rest);
    s_.flags.forget();
    s_.put(rax, result, o_.wide);
    s_.put(rdx, rest, o_.wide);
  }
  using Long = unsigned __int128;
  std::int64_t signed_of(std::uint64_t value) const { return static_cast<std::int64_t>(extended(value, bytes_)); }
  void multiply_long(Long product, Word& low, Word& high) const {
    low = static_cast<std::uint64_t>(product);
    high = static_cast<std::uint64_t>(product >> 8 * bytes_);
  }
  void divide(Word value, Word low, Word high, Word& result, Word& rest) const {
    if (!value || !low || !high) return;
    std::int64_t by = signed_of(*value), of = signed_of(*low);
    bool is_extended = extended(*high, bytes_) == (of < 0 ? ~std::uint64_t{0} : 0);
    if (!is_extended || by == 0 || by == -1) return;
    result = static_cast<std::uint64_t>(of / by);
    rest = static_cast<std::uint64_t>(of % by);
  }

  void by_one() {
    enum { inc, dec, pushes = 6 };
    int what = o_.first & 7;
    if (what == pushes) return push(s_.load(address(), 8));
    if (what > dec) return unknown();
    Word value = second();
    Word result = value ? masked(what == inc ? *value + 1 : *value - 1) : value;
    s_.flags.of_result(result, bytes_);
    put_second(result);
  }

  void sign() {
    Word value = masked(s_.in(rax));
    s_.put(rdx, value ? Word(extended(*value, bytes_) >> 63 ? ~std::uint64_t{0} : 0) : value, o_.wide);
  }

  void widen() {
    Word value = s_.in(rax);
    s_.put(rax, value ? Word(extended(*value, bytes_ / 2)) : value, o_.wide);
  }

  void rest() {
    int op = o_.opcode;
    if (op >= 0x50 && op <= 0x57) return push(s_.in(o_.in_opcode));
    if (op >= 0x58 && op <= 0x5f) return s_.put(o_.in_opcode, pop(), true);
    if (op >= 0xb0 && op <= 0xb7) return s_.forget(o_.in_opcode), s_.forget(o_.in_opcode & 3);
    if (op >= 0xb8 && op <= 0xbf) return s_.put(o_.in_opcode, static_cast<std::uint64_t>(o_.immediate), o_.wide);
    if (op >= 0xd8 && op <= 0xdf) return lose_memory(16), s_.flags.forget();
    switch (op) {
      case 0x63: return extend_half();
      case 0x68: case 0x6a: return push(static_cast<std::uint64_t>(o_.immediate));
      case 0x69: case 0x6b: return multiply(second(), constant());
      case 0x80: case 0xc0: case 0xd0: case 0xd2: case 0xfe:
        s_.flags.forget();
        if (op != 0x80 || (o_.first & 7) != cmp) put_byte();
        return;
      case 0x81: case 0x83: return compute(o_.first & 7, second(), constant(), true);
      case 0x84: case 0xa8: return s_.flags.forget();
      case 0x85: return s_.flags.of_bits(both(second(), first()), bytes_);
      case 0xa9: return s_.flags.of_bits(both(masked(s_.in(rax)), constant()), bytes_);
      case 0x88: case 0xc6: return put_byte();
      case 0x89: return put_second(first());
      case 0x8a: return s_.forget(o_.first), s_.forget(o_.first & 3);
      case 0x8b: return put_first(second());
      case 0x8d: return take_address();
      case 0x90: return o_.in_opcode ? unknown() : void();
      case 0x98: return widen();
      case 0x99: return sign();
      case 0xc1: return shift(static_cast<std::uint64_t>(o_.immediate));
      case 0xd1: return shift(1);
      case 0xd3: return shift(s_.in(rcx));
      case 0xc7: return put_second(constant());
      case 0xc9: return s_.put(rsp, s_.in(rbp), true), s_.put(rbp, pop(), true);
      case 0xf7: return of_one();
      case 0xff: return by_one();
      default: return all_unknown();
    }
  }

  // Of a string, or what is seldom seen.
  void all_unknown() {
    unknown();
    for (int of : {rax, rcx, rdx, rsi, rdi}) s_.forget(of);
    s_.forget_stack();
  }

  void take_address() {
    Word address = s_.address_of(o_, i_);
    if (address) s_.handed_out(*address);
    put_first(address);
  }

  void extend_half() {
    Word value = o_.in_memory ? s_.load(address(), 4) : s_.in(o_.second);
    put_first(value ? Word(extended(*value, 4)) : value);
  }
  static Word both(Word a, Word b) { return a && b ? Word(*a & *b) : Word(); }

  Pretence& s_;
  const Operands& o_;
  const Instruction& i_;
  int bytes_;
  bool of_thread_;
};

class Rehearsal {
 public:
  Rehearsal(Function function, std::uintptr_t end, Come come, void* context) : function_(function), end_(end), come_(come), context_(context) {}

  // False: not all ways were gone to their ends.
  bool from(std::uintptr_t at, Pretence state, int ways_left) {
    while (at != end_) {
      if (!function_.holds(at)) return true;
      Operands o = read_operands(bytes_at(at), bytes_at(function_.end));
      Instruction i = read_instruction(bytes_at(at), bytes_at(function_.end));
      std::uintptr_t next = at + o.length;
      if (!o.length || ++steps_ > most_steps) return false;
      if (leaves(o, i)) return true;
      if (i.kind == Instruction::jump_unknown) return false;
      if (i.kind == Instruction::jump) {
        std::optional<bool> jumps = condition_of(o, state);
        if (!jumps && (!ways_left || !from(next, state, --ways_left))) return false;
        at = jumps && !*jumps ? next : i.target;
        continue;
      }
      if (is_call(i)) state.forget_what_calls_change();
      else Step(state, o, i, at).take();
      at = next;
    }
    come_(context_, state);
    return true;
  }

 private:
  static constexpr int most_steps = 4096;

  static bool is_call(const Instruction& i) {
    return i.kind == Instruction::call || i.kind == Instruction::call_slot || i.kind == Instruction::call_unknown;
  }
  static bool leaves(const Operands& o, const Instruction& i) {
    bool returns = o.map == 0 && !o.vector && (o.opcode == 0xc3 || o.opcode == 0xc2);
    bool traps = (o.map == 1 && o.opcode == 0x0b) || (o.map == 0 && !o.vector && (o.opcode == 0xcc || o.opcode == 0xf4));
    bool jumps_elsewhere = i.kind == Instruction::call_slot && (o.first & 7) == 4;
    return returns || traps || jumps_elsewhere;
  }
  static std::optional<bool> condition_of(const Operands& o, const Pretence& state) {
    if (o.map == 0 && (o.opcode == 0xe9 || o.opcode == 0xeb)) return true;
    if (o.map == 0 && o.opcode >= 0xe0) return {};
    return state.flags.meet(o.opcode);
  }

  Function function_;
  std::uintptr_t end_;
  Come come_;
  void* context_;
  int steps_ = 0;
};

}  // namespace

bool rehearse(Function function, Beginning beginning, std::uintptr_t at, Come come, void* context) {
  constexpr int registers = std::size(argument_registers), most_ways = 8;
  Pretence begin;
  for (int a = 0; a < beginning.count; ++a) {
    int place = beginning.unknown + a;
    if (place < registers) begin.put(argument_registers[place], beginning.arguments[a], true);
    else begin.store(*begin.in(rsp) + 8 * static_cast<std::uint64_t>(place - registers + 1), beginning.arguments[a], 8);
  }
  return Rehearsal(function, at, come, context).from(function.begin, begin, most_ways);
}

}  // namespace weir::lane
