// SPDX-License-Identifier: Apache-2.0
#include "lane/references.h"

#include <emmintrin.h>

#include <algorithm>
#include <cstring>

namespace weir::lane {
namespace {

constexpr std::uintptr_t distance_bytes = 4;
constexpr std::uintptr_t block = 16;
// Of a block, the last jump's distance ends so many bytes after its first.
constexpr std::uintptr_t block_reaches = block + 2 + distance_bytes;

__m128i bytes_at(std::uintptr_t at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }

__m128i all(int byte) { return _mm_set1_epi8(static_cast<char>(byte)); }

unsigned equal(__m128i bytes, int bits, int byte) {
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_and_si128(bytes, all(bits)), all(byte))));
}

// Where a distance at `at` leads to, if it is the last part of its instruction: of a call or jump it is, and of what names a
// pointer in memory where no constant follows.
std::uintptr_t led_to(std::uintptr_t at) {
  std::int32_t distance;
  std::memcpy(&distance, reinterpret_cast<const void*>(at), sizeof distance);
  return at + distance_bytes + static_cast<std::uintptr_t>(std::int64_t{distance});
}

// May one of the block's 16 distances lead among the addresses? In 32 bits each, four at a time: what is wrong then is in the upper bits.
bool may_lead(std::uintptr_t at, const Addresses& addresses) {
  const __m128i sign = _mm_set1_epi32(INT32_MIN);
  const __m128i span = _mm_xor_si128(_mm_set1_epi32(static_cast<int>(std::min<std::uintptr_t>(addresses.span(), UINT32_MAX))), sign);
  __m128i beyond = _mm_set1_epi32(-1);
  for (std::uintptr_t first = at; first < at + 4; ++first) {
    auto from = static_cast<int>(first + distance_bytes - addresses.lowest());
    __m128i there = _mm_add_epi32(bytes_at(first), _mm_add_epi32(_mm_set1_epi32(from), _mm_setr_epi32(0, 4, 8, 12)));
    beyond = _mm_and_si128(beyond, _mm_cmpgt_epi32(_mm_xor_si128(there, sign), span));
  }
  return _mm_movemask_epi8(beyond) != 0xffff;
}

bool one_leads(std::uintptr_t at, std::uintptr_t end, const Addresses& addresses) {
  for (; at < end; ++at) {
    if (addresses.has(led_to(at))) return true;
  }
  return false;
}

}  // namespace

void Addresses::add(std::uintptr_t address) {
  if (has(address)) return;
  lost_ |= count_ == most;
  if (lost_) return;
  std::uintptr_t highest = count_ ? std::max(lowest_ + span_, address) : address;
  lowest_ = count_ ? std::min(lowest_, address) : address;
  span_ = highest - lowest_;
  filter_[word(address)] |= std::uint64_t{1} << bit(address);
  addresses_[count_++] = address;
}

bool Addresses::find(std::uintptr_t address) const {
  return std::find(addresses_, addresses_ + count_, address) != addresses_ + count_;
}

namespace {

class Uses {
 public:
  Uses(const Object& object, Function function, const Addresses& slots) : object_(object), function_(function), slots_(slots) {}

  bool in_block(std::uintptr_t at) const {
    if (may_lead(at, slots_) && one_leads(at, at + block, slots_)) return true;
    __m128i bytes = bytes_at(at);
    return one_by_stub(at + 1, equal(bytes, 0xfe, 0xe8)) ||  // call, jump
           one_by_stub(at + 2, equal(bytes, 0xff, 0x0f) & equal(bytes_at(at + 1), 0xf0, 0x80));  // jump if ...
  }

  // The same, a byte after the other.
  bool between(std::uintptr_t at, std::uintptr_t end) const {
    for (; at + distance_bytes <= end; ++at) {
      if (slots_.has(led_to(at)) || (may_branch(at) && by_stub(at))) return true;
    }
    return false;
  }

 private:
  // Do the bytes before a distance make it a call's or a jump's?
  bool may_branch(std::uintptr_t at) const {
    auto* byte = reinterpret_cast<const std::uint8_t*>(at);
    if (at == function_.begin) return false;
    if ((byte[-1] & 0xfe) == 0xe8) return true;
    return (byte[-1] & 0xf0) == 0x80 && at - function_.begin >= 2 && byte[-2] == 0x0f;
  }

  bool one_by_stub(std::uintptr_t first, unsigned which) const {
    for (; which; which &= which - 1) {
      if (by_stub(first + static_cast<unsigned>(__builtin_ctz(which)))) return true;
    }
    return false;
  }

  bool by_stub(std::uintptr_t at) const {
    std::uintptr_t there = led_to(at);
    return !function_.holds(there) && slots_.has(object_.slot_of_stub(there));
  }

  const Object& object_;
  Function function_;
  const Addresses& slots_;
};

}  // namespace

bool may_use(const Object& object, Function function, const Addresses& slots) {
  if (!slots.all_fit()) return true;
  if (!slots.any()) return false;
  Uses uses(object, function, slots);
  std::uintptr_t at = function.begin;
  for (; at + block_reaches <= function.end; at += block) {
    if (uses.in_block(at)) return true;
  }
  return uses.between(at, function.end);
}

// Code that does not move has addresses of 32 bits, and may have them as constants. Other code takes them by `lea distance(%rip)`.
bool may_take(Function function, const Addresses& functions) {
  if (!functions.all_fit()) return true;
  if (!functions.any()) return false;
  if (functions.lowest() <= INT32_MAX) return true;
  std::uintptr_t at = function.begin;
  for (; at + block_reaches <= function.end; at += block) {
    unsigned which = equal(bytes_at(at), 0xff, 0x8d) & equal(bytes_at(at + 1), 0xc7, 0x05);
    for (; which; which &= which - 1) {
      if (functions.has(led_to(at + 2 + static_cast<unsigned>(__builtin_ctz(which))))) return true;
    }
  }
  return at + distance_bytes <= function.end && one_leads(at, function.end - distance_bytes + 1, functions);
}

}  // namespace weir::lane
