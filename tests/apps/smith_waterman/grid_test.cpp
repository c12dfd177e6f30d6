// SPDX-License-Identifier: Apache-2.0
#include "grid.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>

#include "fasta.h"
#include "textbook.h"

namespace smith_waterman {
namespace {

void compute_all(Grid& grid) {
  for (std::size_t down = 0; down < grid.down(); ++down) {
    for (std::size_t across = 0; across < grid.across(); ++across) grid.compute(down, across);
  }
}

TEST(Grid, EqualsTheTextbookForAnyTiling) {
  std::mt19937 random(23);
  for (int round = 0; round < 150; ++round) {
    const std::string a = random_residues(protein_letters, 1 + random() % 200, random());
    const std::string b =
        mutated(a, protein_letters, random()) + random_residues(protein_letters, 40, random());
    const int extend = 1 + static_cast<int>(random() % 2);
    const Scoring scoring = blosum62(extend + static_cast<int>(random() % 11), extend);
    const Codes rows = encode(a), columns = encode(b);
    const int expected = textbook_score(rows, columns, scoring);
    for (const Simd simd : {Simd::scalar, best_simd()}) {
      Grid grid(rows, columns, scoring, simd, 1 + random() % 100, 1 + random() % 100);
      compute_all(grid);
      ASSERT_EQ(grid.best(), expected);
      Alignment alignment = grid.trace();
      spell(a, b, alignment);
      ASSERT_EQ(alignment.rows.size(), alignment.columns.size());
      ASSERT_EQ(worth(alignment.rows, alignment.columns, scoring), expected);
      ASSERT_EQ(without_gaps(alignment.rows),
                a.substr(alignment.row_begin, alignment.row_end - alignment.row_begin));
      ASSERT_EQ(without_gaps(alignment.columns),
                b.substr(alignment.column_begin, alignment.column_end - alignment.column_begin));
    }
  }
}

TEST(Grid, AlignsTheSameForEveryTiling) {
  const std::string a = random_residues(dna_letters, 500, 1), b = mutated(a, dna_letters, 2);
  const Scoring scoring = match_mismatch(2, -3, 5, 2);
  const Codes rows = encode(a), columns = encode(b);
  Alignment first;
  for (const std::size_t tile : {16u, 64u, 100u, 1000u}) {
    Grid grid(rows, columns, scoring, best_simd(), tile, tile);
    compute_all(grid);
    Alignment alignment = grid.trace();
    spell(a, b, alignment);
    if (first.rows.empty()) first = alignment;
    EXPECT_EQ(alignment.rows, first.rows);
    EXPECT_EQ(alignment.columns, first.columns);
  }
  EXPECT_GT(first.score, 0);
}

TEST(Grid, HoldsScoresFarAbove16Bits) {
  // 20,000 equal residues: 100,000. Each tile alone fits 16 bits above its own base.
  const Scoring scoring = match_mismatch(5, -4, 10, 1);
  const Codes rows = encode(random_residues(dna_letters, 20'000, 9));
  Grid grid(rows, rows, scoring, best_simd(), 512, 512);
  compute_all(grid);
  EXPECT_EQ(grid.best(), 100'000);
}

TEST(Grid, NothingInCommonAlignsNothing) {
  const Scoring scoring = match_mismatch(2, -3, 5, 2);
  const Codes rows = encode("AAAA"), columns = encode("TTTTTTT");
  Grid grid(rows, columns, scoring, best_simd(), 16, 16);
  compute_all(grid);
  EXPECT_EQ(grid.trace().score, 0);
  EXPECT_TRUE(grid.trace().rows.empty());
}

TEST(Fasta, ReadsWhatItWrote) {
  const std::string path = testing::TempDir() + "fasta_test.fasta";
  const std::vector<Sequence> out = {
      {"one", random_residues(protein_letters, 150, 1)}, {"two", "ACGT"}, {"none", ""}};
  write_fasta(path, out);
  const auto in = read_fasta(path);
  std::remove(path.c_str());
  ASSERT_EQ(in.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(in[i].name, out[i].name);
    EXPECT_EQ(in[i].residues, out[i].residues);
  }
}

TEST(Fasta, TakesHeadersBlanksAndComments) {
  const auto in = parse_fasta("; a comment\n>P1 the first\r\nAC GT\r\n\r\nAA\n>P2\tsecond\nWW", "text");
  ASSERT_EQ(in.size(), 2u);
  EXPECT_EQ(in[0].name, "P1");
  EXPECT_EQ(in[0].residues, "ACGTAA");
  EXPECT_EQ(in[1].name, "P2");
  EXPECT_EQ(in[1].residues, "WW");
  EXPECT_THROW(parse_fasta("ACGT\n>late\n", "text"), std::runtime_error);
}

}  // namespace
}  // namespace smith_waterman
