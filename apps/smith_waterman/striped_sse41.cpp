// SPDX-License-Identifier: Apache-2.0
// Compiled with -msse4.1; called only where the processor has it.
#include <smmintrin.h>

#include "striped.h"

namespace smith_waterman {
namespace {

struct Words {
  using Element = std::int16_t;
  static constexpr std::size_t lanes = 8;
  static constexpr Element lowest = INT16_MIN;
  static constexpr int highest_element = INT16_MAX;

  static Words all(Element value) { return {_mm_set1_epi16(value)}; }
  static Words load(const Element* at) { return {_mm_load_si128(reinterpret_cast<const __m128i*>(at))}; }
  void store(Element* at) const { _mm_store_si128(reinterpret_cast<__m128i*>(at), v); }
  Words plus(Words other) const { return {_mm_adds_epi16(v, other.v)}; }
  Words minus(Words other) const { return {_mm_subs_epi16(v, other.v)}; }
  Words max(Words other) const { return {_mm_max_epi16(v, other.v)}; }
  bool any_above(Words other) const { return _mm_movemask_epi8(_mm_cmpgt_epi16(v, other.v)) != 0; }
  Words shifted(Element first) const { return {_mm_insert_epi16(_mm_slli_si128(v, 2), first, 0)}; }
  // Each lane's value `count` lanes further up, the lowest below.
  template <int count>
  Words up() const {
    return {_mm_alignr_epi8(v, all(lowest).v, 16 - count * 2)};
  }
  Element last() const { return static_cast<Element>(_mm_extract_epi16(v, 7)); }
  Element highest() const {
    alignas(16) Element values[lanes];
    store(values);
    Element best = lowest;
    for (const Element value : values) best = value > best ? value : best;
    return best;
  }

  __m128i v;
};

struct Bytes {
  using Element = std::int8_t;
  static constexpr std::size_t lanes = 16;
  static constexpr Element lowest = INT8_MIN;
  static constexpr int highest_element = INT8_MAX;

  static Bytes all(Element value) { return {_mm_set1_epi8(value)}; }
  static Bytes load(const Element* at) { return {_mm_load_si128(reinterpret_cast<const __m128i*>(at))}; }
  void store(Element* at) const { _mm_store_si128(reinterpret_cast<__m128i*>(at), v); }
  Bytes plus(Bytes other) const { return {_mm_adds_epi8(v, other.v)}; }
  Bytes minus(Bytes other) const { return {_mm_subs_epi8(v, other.v)}; }
  Bytes max(Bytes other) const { return {_mm_max_epi8(v, other.v)}; }
  bool any_above(Bytes other) const { return _mm_movemask_epi8(_mm_cmpgt_epi8(v, other.v)) != 0; }
  Bytes shifted(Element first) const { return {_mm_insert_epi8(_mm_slli_si128(v, 1), first, 0)}; }
  // Each lane's value `count` lanes further up, the lowest below.
  template <int count>
  Bytes up() const {
    return {_mm_alignr_epi8(v, all(lowest).v, 16 - count * 1)};
  }
  Element last() const { return static_cast<Element>(_mm_extract_epi8(v, 15)); }
  Element highest() const {
    alignas(16) Element values[lanes];
    store(values);
    Element best = lowest;
    for (const Element value : values) best = value > best ? value : best;
    return best;
  }

  __m128i v;
};

}  // namespace

std::int32_t striped16_sse41(const StripedTile& tile) {
  return tile.borders != nullptr ? striped<Words, true>(tile) : striped<Words, false>(tile);
}
std::int32_t striped8_sse41(const StripedTile& tile) { return striped<Bytes, false>(tile); }

}  // namespace smith_waterman
