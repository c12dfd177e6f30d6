// SPDX-License-Identifier: Apache-2.0
#include "kernel.h"

#include <algorithm>

namespace smith_waterman {

namespace {

constexpr std::size_t lanes16(Simd simd) { return simd == Simd::avx2 ? 16 : 8; }
constexpr std::size_t lanes8(Simd simd) { return 2 * lanes16(simd); }

// Rows that pad the last lanes score so low that nothing aligned with them is worth anything.
template <class Element>
std::size_t stripe(std::span<const std::uint8_t> rows, std::size_t lanes, Element lowest,
                   std::vector<Element>& scores) {
  const std::size_t segments = std::max<std::size_t>(1, (rows.size() + lanes - 1) / lanes);
  // Vectors are loaded aligned: a vector of std::vector's memory need not be, so leave room to begin at 64
  // bytes.
  scores.assign(segments * lanes * alphabet + 64 / sizeof(Element), lowest);
  return segments;
}

template <class Element>
Element* aligned(std::vector<Element>& scores) {
  const auto address = reinterpret_cast<std::uintptr_t>(scores.data());
  return reinterpret_cast<Element*>((address + 63) / 64 * 64);
}

template <class Element>
const Element* aligned(const std::vector<Element>& scores) {
  const auto address = reinterpret_cast<std::uintptr_t>(scores.data());
  return reinterpret_cast<const Element*>((address + 63) / 64 * 64);
}

template <class Element>
void fill(std::span<const std::uint8_t> rows, const Scoring& scoring, std::size_t lanes, std::size_t segments,
          Element* scores) {
  for (std::size_t letter = 0; letter < alphabet; ++letter) {
    for (std::size_t row = 0; row < rows.size(); ++row)
      scores[(letter * segments + row % segments) * lanes + row / segments] = scoring.pair[rows[row]][letter];
  }
}

std::int32_t score_scalar(std::span<const std::uint8_t> rows, std::span<const std::uint8_t> columns,
                          const Scoring& scoring, const Borders& borders) {
  const std::size_t height = rows.size(), width = columns.size();
  std::vector<std::int32_t> left_h(borders.left_h, borders.left_h + height);
  std::vector<std::int32_t> left_e(borders.left_e, borders.left_e + height);
  std::int32_t best = 0, top_left = borders.corner;
  for (std::size_t j = 0; j < width; ++j) {
    std::int32_t diagonal = top_left, f = borders.top_f[j];
    for (std::size_t i = 0; i < height; ++i) {
      const std::int32_t h = std::max({0, diagonal + scoring.pair[rows[i]][columns[j]], left_e[i], f});
      diagonal = left_h[i];
      left_h[i] = h;
      left_e[i] = std::max({0, left_e[i] - scoring.gap_extend, h - scoring.gap_open});
      f = std::max({0, f - scoring.gap_extend, h - scoring.gap_open});
      best = std::max(best, h);
    }
    top_left = borders.top_h[j];
    if (borders.bottom_h != nullptr && height != 0) {
      borders.bottom_h[j] = left_h[height - 1];
      borders.bottom_f[j] = f;
    }
  }
  if (borders.right_h != nullptr) {
    std::copy(left_h.begin(), left_h.end(), borders.right_h);
    std::copy(left_e.begin(), left_e.end(), borders.right_e);
  }
  return best;
}

// No H in the rectangle, and no E or F that one of them opens, is lower than this: from the row above, a gap
// leads to every cell. E and F that come in lower may be raised to it: a newly opened gap is at least as
// good.
std::int32_t lowest_inside(std::size_t height, std::size_t width, const Scoring& scoring,
                           const Borders& borders) {
  const std::int32_t top = *std::min_element(borders.top_h, borders.top_h + width);
  const std::int32_t left = *std::min_element(borders.left_h, borders.left_h + height);
  const auto gap = scoring.gap_open + static_cast<std::int32_t>(height) * scoring.gap_extend;
  return std::max(0, std::min({top - gap, left, borders.corner}) - scoring.gap_open);
}

std::int32_t highest_inside(std::size_t height, std::size_t width, const Scoring& scoring,
                            const Borders& borders) {
  const std::int32_t top = *std::max_element(borders.top_h, borders.top_h + width);
  const std::int32_t left = *std::max_element(borders.left_h, borders.left_h + height);
  return std::max({top, left, borders.corner}) +
         scoring.highest() * static_cast<std::int32_t>(std::min(height, width));
}

}  // namespace

Simd best_simd() {
  if (__builtin_cpu_supports("avx2")) return Simd::avx2;
  if (__builtin_cpu_supports("sse4.1")) return Simd::sse41;
  return Simd::scalar;
}

bool parse_simd(std::string_view word, Simd& simd) {
  if (word == "auto")
    simd = best_simd();
  else if (word == "scalar")
    simd = Simd::scalar;
  else if (word == "sse41")
    simd = Simd::sse41;
  else if (word == "avx2")
    simd = Simd::avx2;
  else
    return false;
  return simd <= best_simd();
}

Profile::Profile(std::span<const std::uint8_t> row_codes, const Scoring& scoring, Simd with)
    : rows(row_codes), simd(with) {
  if (simd == Simd::scalar) return;
  segments16 = stripe<std::int16_t>(rows, lanes16(simd), INT16_MIN, scores16);
  fill(rows, scoring, lanes16(simd), segments16, aligned(scores16));
  segments8 = stripe<std::int8_t>(rows, lanes8(simd), INT8_MIN, scores8);
  fill(rows, scoring, lanes8(simd), segments8, aligned(scores8));
}

std::int32_t score_tile(const Profile& profile, std::span<const std::uint8_t> columns, const Scoring& scoring,
                        const Borders& borders) {
  const std::size_t height = profile.rows.size(), width = columns.size();
  if (height == 0 || width == 0) return 0;
  const bool bottom_fits = borders.bottom_h == nullptr || height % height_unit == 0;
  if (profile.simd != Simd::scalar && bottom_fits) {
    const std::int32_t base = lowest_inside(height, width, scoring, borders);
    if (highest_inside(height, width, scoring, borders) - base < most16) {
      const StripedTile tile{aligned(profile.scores16), profile.segments16, height, columns,
                             scoring.gap_open,          scoring.gap_extend, base,   &borders};
      return profile.simd == Simd::avx2 ? striped16_avx2(tile) : striped16_sse41(tile);
    }
  }
  return score_scalar(profile.rows, columns, scoring, borders);
}

std::int32_t score(const Profile& profile, std::span<const std::uint8_t> columns, const Scoring& scoring) {
  const std::size_t height = profile.rows.size();
  if (height == 0 || columns.empty()) return 0;
  if (profile.simd != Simd::scalar) {
    const bool avx2 = profile.simd == Simd::avx2;
    const bool costs_fit = scoring.gap_open <= INT8_MAX;
    StripedTile tile{aligned(profile.scores8), profile.segments8,  height, columns,
                     scoring.gap_open,         scoring.gap_extend, 0,      nullptr};
    const std::int32_t narrow = !costs_fit ? most8 : avx2 ? striped8_avx2(tile) : striped8_sse41(tile);
    if (narrow < most8) return narrow;
    tile.scores = aligned(profile.scores16);
    tile.segments = profile.segments16;
    const std::int32_t wide = avx2 ? striped16_avx2(tile) : striped16_sse41(tile);
    if (wide < most16) return wide;
  }
  const std::vector<std::int32_t> zeros(std::max(height, columns.size()), 0);
  const Borders borders{0,       zeros.data(), zeros.data(), zeros.data(), zeros.data(),
                        nullptr, nullptr,      nullptr,      nullptr};
  return score_scalar(profile.rows, columns, scoring, borders);
}

}  // namespace smith_waterman
