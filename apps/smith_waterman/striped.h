// SPDX-License-Identifier: Apache-2.0
// The striped kernel, written once for any vector. Included only by the files that are compiled for one
// instruction set; everything is in an unnamed namespace and nothing inline of the standard library is
// called, so that no code for a newer processor can end up in the place of a shared function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "kernel.h"

namespace smith_waterman {
namespace {

// Three rows of vectors a column needs: H of the column before, H of this one, E of the next.
template <class V>
struct Columns {
  explicit Columns(std::size_t segments)
      : memory(static_cast<typename V::Element*>(
            std::aligned_alloc(64, (3 * segments * sizeof(V) + 63) / 64 * 64))),
        before(memory),
        now(memory + segments * V::lanes),
        e(memory + 2 * segments * V::lanes) {}
  ~Columns() { std::free(memory); }
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;

  typename V::Element* memory;
  typename V::Element *before, *now, *e;
};

template <class V>
typename V::Element relative(std::int32_t score, std::int32_t base) {
  const std::int32_t above = score - base;
  return static_cast<typename V::Element>((above < 0 ? 0 : above) + V::lowest);
}

template <class V>
std::int32_t absolute(typename V::Element value, std::int32_t base) {
  return value == V::lowest ? base : value - V::lowest + base;
}

template <class V>
void load_left(const StripedTile& tile, Columns<V>& columns) {
  for (std::size_t segment = 0; segment < tile.segments; ++segment) {
    for (std::size_t lane = 0; lane < V::lanes; ++lane) {
      const std::size_t row = lane * tile.segments + segment;
      const bool inside = tile.borders != nullptr && row < tile.height;
      columns.before[segment * V::lanes + lane] =
          inside ? relative<V>(tile.borders->left_h[row], tile.base) : V::lowest;
      columns.e[segment * V::lanes + lane] =
          inside ? relative<V>(tile.borders->left_e[row], tile.base) : V::lowest;
    }
  }
}

template <class V>
void store_right(const StripedTile& tile, const Columns<V>& columns) {
  for (std::size_t row = 0; row < tile.height; ++row) {
    const std::size_t at = row % tile.segments * V::lanes + row / tile.segments;
    tile.borders->right_h[row] = absolute<V>(columns.before[at], tile.base);
    tile.borders->right_e[row] = absolute<V>(columns.e[at], tile.base);
  }
}

// A gap down the column that began in one lane may go on in the next: carry it on while it matters. `f` is
// what left the last segment. Returns the highest F that left the last row. The test looks at H as it was
// before F raised it: where open equals extend, the raised one would end it too early.
template <class V>
typename V::Element carry_gaps(V f, Columns<V>& columns, std::size_t segments, V open, V extend, V& highest) {
  typename V::Element leaving = f.last();
  for (std::size_t lane = 0; lane < V::lanes; ++lane) {
    f = f.shifted(V::lowest);
    for (std::size_t at = 0; at < segments * V::lanes; at += V::lanes) {
      const V old = V::load(columns.now + at);
      const V h = old.max(f);
      h.store(columns.now + at);
      highest = highest.max(h);
      const V opened = h.minus(open);
      V::load(columns.e + at).max(opened).store(columns.e + at);
      f = f.minus(extend);
      if (!f.any_above(old.minus(open))) return leaving;
    }
    if (f.last() > leaving) leaving = f.last();
  }
  return leaving;
}

template <class V, bool bordered>
std::int32_t striped(const StripedTile& tile) {
  using Element = typename V::Element;
  const std::size_t segments = tile.segments;
  const auto* scores = static_cast<const Element*>(tile.scores);
  const V open = V::all(static_cast<Element>(tile.gap_open));
  const V extend = V::all(static_cast<Element>(tile.gap_extend));
  Columns<V> columns(segments);
  load_left<V>(tile, columns);
  V highest = V::all(V::lowest);
  Element diagonal = bordered ? relative<V>(tile.borders->corner, tile.base) : V::lowest;

  for (std::size_t column = 0; column < tile.columns.size(); ++column) {
    const Element* row_scores = scores + tile.columns[column] * segments * V::lanes;
    V f = V::all(V::lowest);
    if constexpr (bordered) f = f.shifted(relative<V>(tile.borders->top_f[column], tile.base));
    V h = V::load(columns.before + (segments - 1) * V::lanes).shifted(diagonal);
    for (std::size_t at = 0; at < segments * V::lanes; at += V::lanes) {
      V e = V::load(columns.e + at);
      h = h.plus(V::load(row_scores + at)).max(e).max(f);
      highest = highest.max(h);
      h.store(columns.now + at);
      const V opened = h.minus(open);
      e = e.minus(extend).max(opened);
      e.store(columns.e + at);
      f = f.minus(extend).max(opened);
      h = V::load(columns.before + at);
    }
    const Element leaving = carry_gaps<V>(f, columns, segments, open, extend, highest);
    Element* const swapped = columns.before;
    columns.before = columns.now;
    columns.now = swapped;
    if constexpr (bordered) {
      diagonal = relative<V>(tile.borders->top_h[column], tile.base);
      if (tile.borders->bottom_h != nullptr && tile.height == segments * V::lanes) {
        const Element last = V::load(columns.before + (segments - 1) * V::lanes).last();
        tile.borders->bottom_h[column] = absolute<V>(last, tile.base);
        tile.borders->bottom_f[column] = absolute<V>(leaving, tile.base);
      }
    }
  }
  if constexpr (bordered) {
    if (tile.borders->right_h != nullptr) store_right<V>(tile, columns);
  }
  return absolute<V>(highest.highest(), tile.base);
}

}  // namespace
}  // namespace smith_waterman
