// SPDX-License-Identifier: Apache-2.0
#include "grid.h"

#include <algorithm>

namespace smith_waterman {

namespace {

// What a cell's H came from, and whether the gaps that leave it go on with one or begin here.
constexpr std::uint8_t from_nothing = 0, from_diagonal = 1, from_e = 2, from_f = 3, from_bits = 3;
constexpr std::uint8_t e_goes_on = 4, f_goes_on = 8;
constexpr std::uint8_t ask_cell = 16;  // while tracing: no gap is being followed

}  // namespace

struct Grid::Cells {
  std::size_t width;
  std::vector<std::uint8_t> way;
  std::vector<std::int32_t> h;
  std::size_t at(std::size_t row, std::size_t column) const { return row * width + column; }
};

Grid::Grid(const Codes& rows, const Codes& columns, const Scoring& scoring, Simd simd,
           std::size_t tile_height, std::size_t tile_width)
    : rows_(rows),
      columns_(columns),
      scoring_(scoring),
      tile_height_((std::max<std::size_t>(tile_height, 1) + height_unit - 1) / height_unit * height_unit),
      tile_width_(std::max<std::size_t>(tile_width, 1)),
      down_((rows.size() + tile_height_ - 1) / tile_height_),
      across_((columns.size() + tile_width_ - 1) / tile_width_),
      top_h_(down_ * columns.size()),
      top_f_(down_ * columns.size()),
      left_h_(across_ * rows.size()),
      left_e_(across_ * rows.size()),
      best_(down_ * across_) {
  profiles_.reserve(down_);
  for (std::size_t down = 0; down < down_; ++down) profiles_.emplace_back(tile_rows(down), scoring, simd);
}

std::span<const std::uint8_t> Grid::tile_rows(std::size_t down) const {
  const std::size_t begin = down * tile_height_;
  return std::span(rows_).subspan(begin, std::min(tile_height_, rows_.size() - begin));
}

std::span<const std::uint8_t> Grid::tile_columns(std::size_t across) const {
  const std::size_t begin = across * tile_width_;
  return std::span(columns_).subspan(begin, std::min(tile_width_, columns_.size() - begin));
}

Borders Grid::borders(std::size_t down, std::size_t across) const {
  const std::size_t top = down * columns_.size() + across * tile_width_;
  const std::size_t left = across * rows_.size() + down * tile_height_;
  Borders borders{};
  borders.corner = down != 0 && across != 0 ? top_h_[top - 1] : 0;
  borders.top_h = top_h_.data() + top;
  borders.top_f = top_f_.data() + top;
  borders.left_h = left_h_.data() + left;
  borders.left_e = left_e_.data() + left;
  return borders;
}

void Grid::compute(std::size_t down, std::size_t across) {
  Borders borders = this->borders(down, across);
  if (down + 1 < down_) {
    const std::size_t below = (down + 1) * columns_.size() + across * tile_width_;
    borders.bottom_h = top_h_.data() + below;
    borders.bottom_f = top_f_.data() + below;
  }
  if (across + 1 < across_) {
    const std::size_t right = (across + 1) * rows_.size() + down * tile_height_;
    borders.right_h = left_h_.data() + right;
    borders.right_e = left_e_.data() + right;
  }
  best_[down * across_ + across] = score_tile(profiles_[down], tile_columns(across), scoring_, borders);
}

std::int32_t Grid::best() const { return best_.empty() ? 0 : *std::max_element(best_.begin(), best_.end()); }

Grid::Cells Grid::recompute(std::size_t down, std::size_t across) const {
  const auto rows = tile_rows(down), columns = tile_columns(across);
  const Borders borders = this->borders(down, across);
  Cells cells{columns.size(), std::vector<std::uint8_t>(rows.size() * columns.size()),
              std::vector<std::int32_t>(rows.size() * columns.size())};
  std::vector<std::int32_t> above_h(borders.top_h, borders.top_h + columns.size());
  std::vector<std::int32_t> above_f(borders.top_f, borders.top_f + columns.size());
  std::int32_t corner = borders.corner;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::int32_t diagonal = corner, e = borders.left_e[row];
    corner = borders.left_h[row];
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const std::int32_t paired = diagonal + scoring_.pair[rows[row]][columns[column]];
      const std::int32_t f = above_f[column], h = std::max({0, paired, e, f});
      const std::int32_t opened = h - scoring_.gap_open;
      const bool e_on = e - scoring_.gap_extend > opened, f_on = f - scoring_.gap_extend > opened;
      auto& way = cells.way[cells.at(row, column)];
      way = h == 0 ? from_nothing : h == paired ? from_diagonal : h == e ? from_e : from_f;
      way = static_cast<std::uint8_t>(way | (e_on ? e_goes_on : 0) | (f_on ? f_goes_on : 0));
      diagonal = above_h[column];
      above_h[column] = cells.h[cells.at(row, column)] = h;
      e = std::max(0, e_on ? e - scoring_.gap_extend : opened);
      above_f[column] = std::max(0, f_on ? f - scoring_.gap_extend : opened);
    }
  }
  return cells;
}

Grid::Place Grid::first_best(std::int32_t score) const {
  const auto first = std::find(best_.begin(), best_.end(), score) - best_.begin();
  const std::size_t down = static_cast<std::size_t>(first) / across_;
  Place place{down, 0, tile_height_, 0};
  for (std::size_t across = 0; across < across_; ++across) {
    if (best_[down * across_ + across] != score) continue;
    const Cells cells = recompute(down, across);
    const auto at = std::find(cells.h.begin(), cells.h.end(), score) - cells.h.begin();
    const std::size_t row = static_cast<std::size_t>(at) / cells.width;
    if (row < place.row) place = {down, across, row, static_cast<std::size_t>(at) % cells.width};
  }
  return place;
}

Alignment Grid::trace() const {
  Alignment alignment;
  alignment.score = best();
  if (alignment.score == 0) return alignment;
  Place place = first_best(alignment.score);
  Cells cells = recompute(place.down, place.across);
  const auto row = [&] { return place.down * tile_height_ + place.row; };
  const auto column = [&] { return place.across * tile_width_ + place.column; };
  alignment.row_end = row() + 1;
  alignment.column_end = column() + 1;

  // Steps up and/or left, into the next tile where this one ends. False at the edge of the matrix.
  const auto step = [&](bool up, bool left) {
    if ((up && row() == 0) || (left && column() == 0)) return false;
    const bool tile_up = up && place.row == 0, tile_left = left && place.column == 0;
    place.row = tile_up ? tile_height_ - 1 : place.row - (up ? 1 : 0);
    place.column = tile_left ? tile_width_ - 1 : place.column - (left ? 1 : 0);
    place.down -= tile_up ? 1 : 0;
    place.across -= tile_left ? 1 : 0;
    if (tile_up || tile_left) cells = recompute(place.down, place.across);
    return true;
  };

  std::uint8_t state = ask_cell;
  bool inside = true;
  while (inside) {
    const std::uint8_t way = cells.way[cells.at(place.row, place.column)];
    if (state == ask_cell) state = way & from_bits;
    if (state == from_nothing) break;
    const bool takes_row = state != from_e, takes_column = state != from_f;
    // Marks only; spell() puts the letters in.
    alignment.rows += takes_row ? 'x' : '-';
    alignment.columns += takes_column ? 'x' : '-';
    alignment.row_begin = row() + (takes_row ? 0 : 1);
    alignment.column_begin = column() + (takes_column ? 0 : 1);
    const std::uint8_t came = state;
    inside = step(takes_row, takes_column);
    state = ask_cell;
    if (!inside || came == from_diagonal) continue;
    const std::uint8_t before = cells.way[cells.at(place.row, place.column)];
    if (came == from_e && (before & e_goes_on) != 0) state = from_e;
    if (came == from_f && (before & f_goes_on) != 0) state = from_f;
  }
  std::reverse(alignment.rows.begin(), alignment.rows.end());
  std::reverse(alignment.columns.begin(), alignment.columns.end());
  return alignment;
}

void spell(const std::string& rows, const std::string& columns, Alignment& alignment) {
  std::size_t row = alignment.row_begin, column = alignment.column_begin;
  for (auto& mark : alignment.rows) mark = mark == '-' ? '-' : rows[row++];
  for (auto& mark : alignment.columns) mark = mark == '-' ? '-' : columns[column++];
}

}  // namespace smith_waterman
