// SPDX-License-Identifier: Apache-2.0
#include "lane/pretence.h"

#include <algorithm>

#include "sys/file.h"

namespace weir::lane {
namespace {

std::uint64_t lowest(std::uint64_t value, int bytes) { return bytes >= 8 ? value : value & ((std::uint64_t{1} << 8 * bytes) - 1); }
// As the program's own code would, where a sanitizer watches ours.
template <typename T>
__attribute__((noinline, no_sanitize("address", "undefined", "thread"))) std::uint64_t value_at(std::uint64_t address) {
  return *reinterpret_cast<const volatile T*>(address);
}

std::uint64_t value_at(std::uint64_t address, int bytes) {
  switch (bytes) {
    case 1: return value_at<std::uint8_t>(address);
    case 2: return value_at<std::uint16_t>(address);
    case 4: return value_at<std::uint32_t>(address);
    default: return value_at<std::uint64_t>(address);
  }
}

bool is_negative(std::uint64_t value, int bytes) { return value >> (8 * bytes - 1) & 1; }

}  // namespace

std::optional<bool> Flags::meet(int condition) const {
  enum { overflow, below, equal, below_or_equal, negative, parity, less, less_or_equal };
  if (kind_ == nothing || !a_ || !b_) return {};
  std::uint64_t a = lowest(*a_, bytes_), b = lowest(*b_, bytes_), left = lowest(a - b, bytes_);
  bool zero = left == 0, sign = is_negative(left, bytes_), borrow = a < b, over = is_negative((a ^ b) & (a ^ left), bytes_);
  bool carried = kind_ != result_alone;
  bool is_so;
  switch (condition >> 1 & 7) {
    case equal: is_so = zero; break;
    case negative: is_so = sign; break;
    case overflow: is_so = over; break;
    case below: is_so = borrow; break;
    case below_or_equal: is_so = borrow || zero; break;
    case less: is_so = sign != over; break;
    case less_or_equal: is_so = zero || sign != over; break;
    default: return {};
  }
  bool of_result = (condition >> 1 & 7) == equal || (condition >> 1 & 7) == negative;
  if (!carried && !of_result) return {};
  return is_so != static_cast<bool>(condition & 1);
}

void Pretence::put(int into, Word value, bool wide) {
  registers_[into & 15] = value && !wide ? Word(lowest(*value, 4)) : value;
}

void Pretence::forget_what_calls_change() {
  for (int of : {rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11}) forget(of);
  flags.forget();
  for (int s = 0; s < count_;) {
    if (slots_[s].address >= handed_out_) slots_[s] = slots_[--count_];
    else ++s;
  }
}

void Pretence::handed_out(std::uint64_t address) {
  if (is_on_stack(address)) handed_out_ = std::min(handed_out_, address);
}

Word Pretence::address_of(const Operands& o, const Instruction& i) const {
  if (o.base < 0 && o.index < 0) return i.target;  // relative to the code
  std::uint64_t address = static_cast<std::uint64_t>(static_cast<std::int64_t>(o.displacement));
  if (o.base >= 0 && !in(o.base)) return {};
  if (o.index >= 0 && !in(o.index)) return {};
  if (o.base >= 0) address += *in(o.base);
  if (o.index >= 0) address += *in(o.index) * static_cast<std::uint64_t>(o.scale);
  return address;
}

Word Pretence::load(Word address, int bytes) const {
  if (!address) return {};
  if (!is_on_stack(*address)) {
    return sys::readable(*address, static_cast<std::size_t>(bytes)) ? Word(value_at(*address, bytes)) : Word();
  }
  for (int s = 0; s < count_; ++s) {
    if (slots_[s].address == *address && slots_[s].bytes >= bytes) return lowest(slots_[s].value, bytes);
  }
  return {};
}

void Pretence::store(Word address, Word value, int bytes) {
  if (!address || !is_on_stack(*address)) return;
  auto overlaps = [=](const Slot& slot) {
    return slot.address < *address + static_cast<std::uint64_t>(bytes) && *address < slot.address + static_cast<std::uint64_t>(slot.bytes);
  };
  for (int s = 0; s < count_;) {
    if (overlaps(slots_[s])) slots_[s] = slots_[--count_];
    else ++s;
  }
  if (value && count_ < most) slots_[count_++] = {*address, lowest(*value, bytes), bytes};
}

}  // namespace weir::lane
