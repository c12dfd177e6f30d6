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

// What a gap costs that goes on through 1, 2, 4, ... whole lanes. Twice what the type holds is more than any
// score, and saturating subtractions of two halves are exact.
template <class V>
struct LaneCosts {
  LaneCosts(std::size_t segments, int extend) {
    std::size_t cost = segments * static_cast<std::size_t>(extend);
    for (std::size_t i = 0; i < steps; ++i, cost *= 2) {
      const std::size_t most = V::highest_element, first = cost < most ? cost : most;
      const std::size_t second = cost - first < most ? cost - first : most;
      halves[i][0] = V::all(static_cast<typename V::Element>(first));
      halves[i][1] = V::all(static_cast<typename V::Element>(second));
    }
  }
  V taken(V f, std::size_t step) const { return f.minus(halves[step][0]).minus(halves[step][1]); }

  static constexpr std::size_t steps = V::lanes == 8 ? 3 : V::lanes == 16 ? 4 : 5;
  V halves[steps][2];
};

// F at the first row of each lane, from what left the lane before it: a prefix maximum over the lanes, each
// worth less by the rows between.
template <class V>
V entering(V f, const LaneCosts<V>& costs) {
  f = f.max(costs.taken(f.template up<1>(), 0));
  f = f.max(costs.taken(f.template up<2>(), 1));
  f = f.max(costs.taken(f.template up<4>(), 2));
  if constexpr (V::lanes > 8) f = f.max(costs.taken(f.template up<8>(), 3));
  if constexpr (V::lanes > 16) f = f.max(costs.taken(f.template up<16>(), 4));
  return f;
}

// Lets F run down the first `to` segments, and tells whether it still matters below them. Above `tested` it
// is not asked: the test wants H as it was before F raised it, for where open equals extend the raised one
// ends it too early.
template <class V>
bool run_down(V& f, Columns<V>& columns, std::size_t to, std::size_t tested, V open, V extend) {
  for (std::size_t segment = 0; segment < to; ++segment) {
    const std::size_t at = segment * V::lanes;
    const V old = V::load(columns.now + at);
    const V h = old.max(f);
    h.store(columns.now + at);
    V::load(columns.e + at).max(h.minus(open)).store(columns.e + at);
    f = f.minus(extend);
    if (segment >= tested && !f.any_above(old.minus(open))) return false;
  }
  return true;
}

// A gap down the column that began in one lane may go on in the next. `f` is what left the last segment of
// each. Farrar goes round the rows until it no longer matters: mostly that is after a few, but where two
// sequences are alike and scores are high, up to a round for each lane. So after a few rows it begins anew
// with what enters each lane from all the others: then one round is enough. Returns the highest F that left
// the last row.
template <class V>
typename V::Element carry_gaps(V f, Columns<V>& columns, std::size_t segments, V open, V extend,
                               const LaneCosts<V>& costs) {
  constexpr std::size_t few = 4;
  const std::size_t probed = segments < few ? segments : few;
  const typename V::Element leaving = f.last();
  const V from_neighbour = f.shifted(V::lowest);
  f = from_neighbour;
  if (!run_down(f, columns, probed, 0, open, extend)) return leaving;
  f = entering(from_neighbour, costs);
  if (!run_down(f, columns, segments, probed, open, extend)) return leaving;
  return f.last() > leaving ? f.last() : leaving;
}

template <class V, bool bordered>
std::int32_t striped(const StripedTile& tile) {
  using Element = typename V::Element;
  const std::size_t segments = tile.segments;
  const auto* scores = static_cast<const Element*>(tile.scores);
  const V open = V::all(static_cast<Element>(tile.gap_open));
  const V extend = V::all(static_cast<Element>(tile.gap_extend));
  const LaneCosts<V> costs(segments, tile.gap_extend);
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
    const Element leaving = carry_gaps<V>(f, columns, segments, open, extend, costs);
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
