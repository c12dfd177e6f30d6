// SPDX-License-Identifier: Apache-2.0
// The matrix of two sequences cut into tiles. A tile needs what its left and its upper neighbour left (the
// upper-left one is done before either): any schedule that keeps to that computes the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernel.h"

namespace smith_waterman {

struct Alignment {
  std::int32_t score = 0;
  std::size_t row_begin = 0, row_end = 0, column_begin = 0, column_end = 0;  // half open
  std::string rows,
      columns;  // the aligned parts, a '-' where the other sequence has a residue and this one has none
};

class Grid {
 public:
  // `rows`, `columns` and `scoring` must outlive the grid. Tile heights are rounded up to a multiple of
  // height_unit.
  Grid(const Codes& rows, const Codes& columns, const Scoring& scoring, Simd simd, std::size_t tile_height,
       std::size_t tile_width);

  std::size_t down() const { return down_; }      // tiles
  std::size_t across() const { return across_; }  // tiles

  // Computes one tile. Precondition: its upper and its left neighbour are done, and visible to this thread.
  void compute(std::size_t down, std::size_t across);

  // After all tiles: the score, and the alignment that ends first (by row, then by column) of those with that
  // score. Only tile borders are kept: the tiles on the alignment's way are computed again.
  std::int32_t best() const;
  Alignment trace() const;

 private:
  struct Cells;
  struct Place {
    std::size_t down, across, row, column;  // row and column within the tile
  };
  Borders borders(std::size_t down, std::size_t across) const;
  std::span<const std::uint8_t> tile_rows(std::size_t down) const;
  std::span<const std::uint8_t> tile_columns(std::size_t across) const;
  Cells recompute(std::size_t down, std::size_t across) const;
  Place first_best(std::int32_t score) const;

  const Codes& rows_;
  const Codes& columns_;
  const Scoring& scoring_;
  std::size_t tile_height_, tile_width_, down_, across_;
  std::vector<Profile> profiles_;  // one a row of tiles
  // H and F between rows of tiles: line d holds what enters row d of the tiles. H and E between columns the
  // same.
  std::vector<std::int32_t> top_h_, top_f_, left_h_, left_e_;
  std::vector<std::int32_t> best_;  // one a tile
};

// What of two letters an alignment shows; `text` as read, so that case and unknown letters stay.
void spell(const std::string& rows, const std::string& columns, Alignment& alignment);

}  // namespace smith_waterman
