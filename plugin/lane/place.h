// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "lane/instruction.h"
#include "lane/object.h"

namespace weir::lane {

// A register, or a slot of a function's frame.
struct Place {
  int base = -1;  // -1: neither
  bool slot = false;
  std::int32_t displacement = 0;
  bool operator==(const Place&) const = default;
  explicit operator bool() const { return base >= 0; }
};

// What an instruction does to a place.
struct Change {
  enum What { nothing, step, copy, other } what = nothing;
  Place from{};        // of a copy
  bool moved = false;  // of a copy: a constant is added
  Place by{};          // of a step or a copy: this is added too; a step's is a constant where there is none
};

// Does the function begin by making rbp the pointer to its frame?
bool has_frame_pointer(Function function);

// Reads one function's instructions as changes to its places.
class Places {
 public:
  explicit Places(Function function);

  // The operand that may be in memory; empty: memory that others may see, or none.
  Place second_of(const Operands& o) const;
  // What two operands are compared, or may be: those that are places.
  struct Compared {
    Place places[2];
  };
  Compared compared_by(const Operands& o) const;
  Change change(const Place& place, const Instruction& i, const Operands& o) const;

 private:
  Change by_longer(const Place& place, const Operands& o) const;
  Change by_arithmetic(const Place& place, const Operands& o) const;
  Change by_rest(const Place& place, const Operands& o) const;
  Change by_address(const Place& place, const Operands& o) const;
  bool is_frame(int base) const;

  bool has_frame_pointer_;
};

// Does it put a vector, or part of one, into memory or into a register of the other kind?
bool stores_vector(const Operands& o);

// Is it for a conditional jump behind it to look at what it did?
bool sets_flags(const Operands& o);

}  // namespace weir::lane
