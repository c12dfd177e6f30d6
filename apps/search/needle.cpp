// SPDX-License-Identifier: Apache-2.0
#include "search/needle.h"

#include <emmintrin.h>

#include <bit>
#include <cstring>

namespace {

__m128i sixteen_at(const char* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }

}  // namespace

const char* Needle::find(const char* begin, const char* end) const {
  const std::size_t size = text_.size();
  const __m128i first = _mm_set1_epi8(text_.front()), last = _mm_set1_epi8(text_.back());
  const char* at = begin;
  for (; end - at >= static_cast<std::ptrdiff_t>(size + 15); at += 16) {
    const __m128i both = _mm_and_si128(_mm_cmpeq_epi8(sixteen_at(at), first),
                                       _mm_cmpeq_epi8(sixteen_at(at + size - 1), last));
    for (auto places = static_cast<unsigned>(_mm_movemask_epi8(both)); places != 0; places &= places - 1) {
      const char* place = at + std::countr_zero(places);
      if (std::memcmp(place, text_.data(), size) == 0) return place;
    }
  }
  return static_cast<const char*>(memmem(at, static_cast<std::size_t>(end - at), text_.data(), size));
}
