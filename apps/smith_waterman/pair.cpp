// SPDX-License-Identifier: Apache-2.0
#include "pair.h"

#include <cstdio>
#include <stdexcept>

#include "fasta.h"
#include "grid.h"
#include "kit/checksum.h"
#include "kit/result.h"

namespace smith_waterman {

namespace {

Sequence first_of(const std::string& path) {
  auto sequences = read_fasta(path);
  if (sequences.empty()) throw std::runtime_error(path + ": no sequence in it");
  return std::move(sequences.front());
}

std::string titled(const std::string& name, std::size_t begin, std::size_t end, const Alignment& alignment) {
  return name + " " + std::to_string(begin + 1) + "-" + std::to_string(end) + " score " +
         std::to_string(alignment.score);
}

std::uint64_t checksum_of(const Alignment& alignment) {
  std::uint64_t sum = kit::item(0, static_cast<std::uint64_t>(alignment.score));
  sum += kit::item(1, alignment.row_end) + kit::item(2, alignment.column_end);
  return sum + kit::hash(alignment.rows.data(), alignment.rows.size(), 3) +
         kit::hash(alignment.columns.data(), alignment.columns.size(), 4);
}

}  // namespace

Outcome align_pair(const PairPlan& plan, const Scoring& scoring) {
  const Sequence rows = first_of(plan.rows), columns = first_of(plan.columns);
  const Codes row_codes = encode(rows.residues), column_codes = encode(columns.residues);
  Grid grid(row_codes, column_codes, scoring, plan.simd, plan.tile, plan.tile);
  const std::size_t tiles = grid.down() * grid.across();
  kit::Progress progress("smith_waterman: tiles", tiles);

  const double began = kit::now();
  wavefront(plan.way, plan.threads, grid.down(), grid.across(), [&](std::size_t down, std::size_t across) {
    grid.compute(down, across);
    progress.tick();
  });
  const double seconds = kit::now() - began;

  Alignment alignment = grid.trace();
  spell(rows.residues, columns.residues, alignment);
  write_fasta(
      plan.output,
      {{titled(rows.name, alignment.row_begin, alignment.row_end, alignment), alignment.rows},
       {titled(columns.name, alignment.column_begin, alignment.column_end, alignment), alignment.columns}});
  const double cells = static_cast<double>(row_codes.size()) * static_cast<double>(column_codes.size());
  std::printf("score=%d length=%zu tiles=%zu matrix_seconds=%.4f gcups=%.3f\n", alignment.score,
              alignment.rows.size(), tiles, seconds, cells / seconds / 1e9);
  return {checksum_of(alignment), tiles};
}

}  // namespace smith_waterman
