// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "lane/flow.h"
#include "lane/instruction.h"
#include "lane/object.h"

// The machine code of one function of a region, read instruction by instruction.
namespace weir::team {

// What lies between a call that begins it and the next that ends it, on each way that control takes.
class Zone {
 public:
  void mark(int block, std::uintptr_t at, bool ends);  // in the order of addresses
  void find(const lane::Flow& flow);
  bool holds(int block, std::uintptr_t at) const;
  bool is_full() const { return everywhere_; }

 private:
  static constexpr int most = 64;
  struct Mark {
    std::uintptr_t at;
    int block;
    bool ends;
  };
  int count_ = 0;
  bool everywhere_ = false;  // there are more marks than are kept
  Mark marks_[most];
  lane::Flow::Blocks entered_within_;
};

// What an instruction calls, or hands on to be called: a name of another object's, or a function of this one.
struct Named {
  const char* name = nullptr;
  std::uintptr_t function = 0;
};
Named named_by(const lane::Object& object, const lane::Instruction& i);

inline bool is_call(const lane::Instruction& i) { return i.kind == lane::Instruction::call || i.kind == lane::Instruction::call_slot; }

// The function of that name as the object sees it: also one that is loaded for it alone. 0: none.
std::uintptr_t address_of(const lane::Object& object, const char* name);
inline std::uintptr_t function_of(const lane::Object& object, Named named) {
  return named.name ? address_of(object, named.name) : named.function;
}

// Marks a zone that is one thread's at a time, where a call that names that enters it or leaves it: by a construct, by a lock, or by a small
// function that leaves a lock held, or free (a guard's).
void mark_alone(Zone& zone, const lane::Object& object, int block, const lane::Instruction& i, std::uintptr_t at, Named named);

// Does which thread has which part of a loop follow from their numbers?
bool is_shared_by_number(const lane::Object& object, const lane::Flow& flow);

// fn(block, instruction, its address, what it names) for each of the function's, in order.
template <typename Fn>
void each_instruction(const lane::Object& object, const lane::Flow& flow, Fn fn) {
  for (int block = 0; block < flow.count(); ++block) {
    lane::Function code = flow.code_of(block);
    for (std::uintptr_t at = code.begin; at < code.end;) {
      lane::Instruction i = lane::read_instruction(lane::bytes_at(at), lane::bytes_at(code.end));
      fn(block, i, at, named_by(object, i));
      at += i.length ? i.length : 1;
    }
  }
}

}  // namespace weir::team
