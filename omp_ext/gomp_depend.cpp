// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/gomp_depend.h"

namespace weir::omp {
namespace {

constexpr std::uint8_t in = 1, inout = 3, mutexinoutset = 4, inoutset = 8;

// What a depend object says: its address, and its kind by gcc's numbers.
std::uint8_t flags_of_kind(std::uintptr_t kind) {
  switch (kind) {
    case 1: return in;
    case 4: return mutexinoutset;
    case 5: return inoutset;
    default: return inout;
  }
}

}  // namespace

// {total, outs, address...}, and where that is not enough {0, total, outs, mutexes, ins, address..., object...}.
GompDepends::GompDepends(void** array) {
  auto number = [&](int i) { return reinterpret_cast<std::size_t>(array[i]); };
  if (number(0)) {
    total_ = number(0);
    outs_ = number(1);
    ins_ = total_ - outs_;
    addresses_ = array + 2;
  } else {
    total_ = number(1);
    outs_ = number(2);
    mutexes_ = number(3);
    ins_ = number(4);
    addresses_ = array + 5;
  }
}

Depend GompDepends::operator[](std::size_t i) const {
  if (i < outs_) return {addresses_[i], 0, inout};
  if (i < outs_ + mutexes_) return {addresses_[i], 0, mutexinoutset};
  if (i < outs_ + mutexes_ + ins_) return {addresses_[i], 0, in};
  auto** object = static_cast<void**>(addresses_[i]);
  return {object[0], 0, flags_of_kind(reinterpret_cast<std::uintptr_t>(object[1]))};
}

}  // namespace weir::omp
