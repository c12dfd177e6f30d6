// SPDX-License-Identifier: Apache-2.0
#include "lane/spinning.h"

#include "base/names.h"
#include "lane/flow.h"
#include "lane/instruction.h"
#include "lane/place.h"

namespace weir::lane {
namespace {

constexpr const char* make_way[] = {"sched_yield", "pthread_yield", "thrd_yield"};

// One pass of a small loop: registers that it loads are new in each, and what is made of them is, too. `written`: those that it changes.
class Pass {
 public:
  Pass(const Object& object, const Places& places, unsigned written) : object_(object), places_(places), written_(written) {}

  bool take(const Instruction& i, const Operands& o) {
    if (i.kind == Instruction::jump) return true;
    if (i.kind == Instruction::call || i.kind == Instruction::call_slot) return makes_way(i);
    if (i.kind == Instruction::loads_slot || i.kind == Instruction::takes_address) return make_new(o.has_modrm ? o.first : o.in_opcode);
    if (i.kind != Instruction::other || !o.length || o.vector) return false;
    if (o.in_memory && !is_nop(o)) {
      if (!stays(o.base) || !stays(o.index)) return false;  // it goes on to the next
      looks_ |= o.opcode != lea && !places_.second_of(o);   // at memory that is not the frame
    }
    return o.map ? by_longer(o) : by_plain(o);
  }
  bool looks() const { return looks_; }

 private:
  enum { lea = 0x8d };
  static bool is_nop(const Operands& o) { return o.map == 1 && o.opcode >= 0x18 && o.opcode <= 0x1f; }

  bool makes_way(const Instruction& i) const {
    std::uintptr_t slot = i.kind == Instruction::call_slot ? i.target : object_.slot_of_stub(i.target);
    const char* name = slot ? object_.name_of_slot(slot) : nullptr;
    return name && base::among(name, make_way);
  }

  bool by_longer(const Operands& o) {
    bool extends = o.map == 1 && (o.opcode == 0xb6 || o.opcode == 0xb7 || o.opcode == 0xbe || o.opcode == 0xbf);
    return is_nop(o) || (extends && make_new(o.first));
  }

  bool by_plain(const Operands& o) {
    enum { shl = 4, sub = 5, cmp = 7 };
    int op = o.opcode, which = o.first & 7;
    bool compares = op == 0x38 || op == 0x39 || op == 0x3a || op == 0x3b || op == 0x3c || op == 0x3d || op == 0x84 || op == 0x85 || op == 0xa8 || op == 0xa9;
    if (compares || op == 0x90) return true;
    if (op == 0x80 || op == 0x81 || op == 0x83) return which == cmp || (!o.in_memory && is_new(o.second));
    if (op == 0xf6 || op == 0xf7) return which < 2;
    if (op == 0xc1 || op == 0xd1) return !o.in_memory && is_new(o.second);
    if (op == 0x98) return is_new(rax);
    if (op == 0x8a || op == 0x8b || op == 0x63) return make_new(o.first);
    if (op == lea) return make_new(o.first);
    if (op == 0x89) return !o.in_memory && stays(o.first) && make_new(o.second);
    return (op == 0x31 || op == 0x33) && !o.in_memory && o.first == o.second && make_new(o.first);
  }

  bool make_new(int of) { return new_ |= 1u << of, true; }
  bool is_new(int of) const { return new_ & 1u << of; }
  bool stays(int of) const { return of < 0 || is_new(of) || !(written_ & 1u << of); }

  const Object& object_;
  const Places& places_;
  unsigned written_, new_ = 0;
  bool looks_ = false;
};

template <typename Fn>
void each_of(const Flow& flow, const Flow::Blocks& blocks, Fn fn) {
  for (int block = 0; block < flow.count(); ++block) {
    if (!blocks[static_cast<std::size_t>(block)]) continue;
    Function code = flow.code_of(block);
    for (std::uintptr_t at = code.begin; at < code.end;) {
      Operands o = read_operands(bytes_at(at), bytes_at(code.end));
      fn(read_instruction(bytes_at(at), bytes_at(code.end)), o);
      at += o.length ? o.length : 1;
    }
  }
}

constexpr int most_blocks = 4;

bool comes_back(const Flow& flow, int from, int to, int steps) {
  if (!steps) return false;
  for (int which : {0, 1}) {
    int next = flow.next(from, which);
    if (next >= 0 && (next == to || comes_back(flow, next, to, steps - 1))) return true;
  }
  return false;
}

}  // namespace

bool spins(const Object& object, Function function) {
  Flow flow(function);
  if (!flow.fits()) return false;
  flow.find_ways();
  Places places(function);
  for (int head = 0; head < flow.count(); ++head) {
    if (!flow.is_in_loop(head) || !comes_back(flow, head, head, most_blocks)) continue;
    Flow::Blocks loop = flow.loop_around(head);
    if (loop.none() || loop.count() > static_cast<std::size_t>(most_blocks)) continue;
    unsigned written = 0;
    each_of(flow, loop, [&](const Instruction& i, const Operands& o) {
      for (int of = rax; of <= r15; ++of) written |= static_cast<unsigned>(places.change({of, false, 0}, i, o).what != Change::nothing) << of;
    });
    Pass pass(object, places, written);
    bool changes_nothing = true;
    each_of(flow, loop, [&](const Instruction& i, const Operands& o) { changes_nothing = changes_nothing && pass.take(i, o); });
    if (changes_nothing && pass.looks()) return true;
  }
  return false;
}

}  // namespace weir::lane
