// SPDX-License-Identifier: Apache-2.0
#include "kernel.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "fasta.h"
#include "textbook.h"

namespace smith_waterman {
namespace {

std::vector<Simd> kinds() {
  std::vector<Simd> kinds;
  for (const Simd simd : {Simd::scalar, Simd::sse41, Simd::avx2}) {
    if (simd <= best_simd()) kinds.push_back(simd);
  }
  return kinds;
}

TEST(Scoring, Blosum62IsThePublishedMatrix) {
  const Scoring scoring = blosum62(11, 1);
  const auto pair = [&](char a, char b) { return scoring.pair[a - 'A'][b - 'A']; };
  EXPECT_EQ(pair('W', 'W'), 11);
  EXPECT_EQ(pair('A', 'A'), 4);
  EXPECT_EQ(pair('E', 'D'), 2);
  EXPECT_EQ(pair('I', 'V'), 3);
  EXPECT_EQ(pair('C', 'E'), -4);
  EXPECT_EQ(pair('J', 'A'), pair('X', 'A'));
  // The trace and the sum over the 20 amino acids find a slip anywhere.
  int trace = 0, sum = 0;
  for (const char a : protein_letters) {
    trace += pair(a, a);
    for (const char b : protein_letters) {
      sum += pair(a, b);
      EXPECT_EQ(pair(a, b), pair(b, a));
    }
  }
  EXPECT_EQ(trace, 116);
  EXPECT_EQ(sum, -426);
}

TEST(Kernel, ScoresWikipediasExample) {
  // TGTTACGG and GGTTGACTA: match 3, mismatch -3, gap 2 a residue. The best local alignment, GTT-AC / GTTGAC,
  // is worth 13.
  const Scoring scoring = match_mismatch(3, -3, 2, 2);
  const Codes rows = encode("TGTTACGG"), columns = encode("GGTTGACTA");
  for (const Simd simd : kinds()) EXPECT_EQ(score(Profile(rows, scoring, simd), columns, scoring), 13);
}

TEST(Kernel, EqualsTheTextbookForAnyScoring) {
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    const bool dna = round % 2 == 0;
    const auto letters = dna ? dna_letters : protein_letters;
    // Long ones now and then: a gap then has lanes of some height to run through.
    const std::size_t length = round % 20 == 0 ? 900 : 150;
    const std::string a = random_residues(letters, 1 + random() % length, random());
    const std::string b = round % 3 == 0 ? random_residues(letters, 1 + random() % 150, random())
                                         : mutated(a, letters, random());
    const int extend = 1 + static_cast<int>(random() % 3), open = extend + static_cast<int>(random() % 9);
    const Scoring scoring = dna ? match_mismatch(1 + static_cast<int>(random() % 5),
                                                 -1 - static_cast<int>(random() % 4), open, extend)
                                : blosum62(open, extend);
    const Codes rows = encode(a), columns = encode(b);
    const int expected = textbook_score(rows, columns, scoring);
    for (const Simd simd : kinds())
      ASSERT_EQ(score(Profile(rows, scoring, simd), columns, scoring), expected)
          << a << ' ' << b << " open " << open << " extend " << extend << " simd " << static_cast<int>(simd);
  }
}

// From two equal pieces a high score runs on for hundreds of rows and columns as a gap, through all lanes.
TEST(Kernel, GapsRunThroughAllLanes) {
  const std::string piece = random_residues(dna_letters, 200, 4);
  const std::string a = piece + random_residues(dna_letters, 700, 5),
                    b = piece + random_residues(dna_letters, 300, 6);
  for (const int extend : {1, 2}) {
    for (const int open : {extend, extend + 1, 10}) {
      const Scoring scoring = match_mismatch(5, -4, open, extend);
      const Codes first = encode(a), second = encode(b);
      const int expected = textbook_score(first, second, scoring);
      for (const Simd simd : kinds()) {
        EXPECT_EQ(score(Profile(first, scoring, simd), second, scoring), expected);
        EXPECT_EQ(score(Profile(second, scoring, simd), first, scoring), expected);
      }
    }
  }
}

// What a tile leaves to its neighbours, from a plain loop and from the vectors.
TEST(Kernel, TilesLeaveTheSameBorders) {
  std::mt19937 random(31);
  for (int round = 0; round < 300; ++round) {
    const std::size_t height = height_unit * (1 + random() % 20), width = 1 + random() % 80;
    const int extend = 1 + static_cast<int>(random() % 2), open = extend + static_cast<int>(random() % 4);
    const Scoring scoring = match_mismatch(5, -9, open, extend);
    const std::string a = random_residues(dna_letters, height, random());
    const Codes rows = encode(a), columns = encode(random_residues(dna_letters, width, random()));
    // Borders as a tile far inside has them: high, and H no more than a gap apart.
    const int level = round % 2 == 0 ? 0 : 70'000;
    const auto near = [&](std::size_t count) {
      std::vector<std::int32_t> values(count);
      for (auto& value : values) value = level + static_cast<int>(random() % 40);
      return values;
    };
    const auto top_h = near(width), left_h = near(height), top_f = near(width), left_e = near(height);
    std::vector<std::vector<std::int32_t>> first;
    for (const Simd simd : kinds()) {
      std::vector<std::vector<std::int32_t>> left = {
          std::vector<std::int32_t>(width), std::vector<std::int32_t>(width),
          std::vector<std::int32_t>(height), std::vector<std::int32_t>(height)};
      const Borders borders{level + 20,     top_h.data(),   top_f.data(),   left_h.data(), left_e.data(),
                            left[0].data(), left[1].data(), left[2].data(), left[3].data()};
      left.push_back({score_tile(Profile(rows, scoring, simd), columns, scoring, borders)});
      if (first.empty()) first = left;
      ASSERT_EQ(left, first) << "round " << round << " simd " << static_cast<int>(simd);
    }
  }
}

TEST(Kernel, WidensWhereTheScoreOutgrowsTheType) {
  // 51 pairs of 5 are one more than a byte holds above its base, 13,107 one more than 16 bits do.
  const Scoring scoring = match_mismatch(5, -4, 10, 1);
  for (const std::size_t length : {50u, 51u, 120u, 13'106u, 13'107u}) {
    const Codes rows = encode(random_residues(dna_letters, length, length));
    for (const Simd simd : kinds()) {
      if (length > 1000 && simd == Simd::scalar) continue;  // no type to outgrow, only time
      EXPECT_EQ(score(Profile(rows, scoring, simd), rows, scoring), 5 * static_cast<int>(length));
    }
  }
}

TEST(Kernel, NothingInCommonScoresNothing) {
  const Scoring scoring = match_mismatch(2, -3, 5, 2);
  const Codes rows = encode("AAAA"), columns = encode("TTTTTTT"), none;
  for (const Simd simd : kinds()) {
    EXPECT_EQ(score(Profile(rows, scoring, simd), columns, scoring), 0);
    EXPECT_EQ(score(Profile(none, scoring, simd), columns, scoring), 0);
    EXPECT_EQ(score(Profile(rows, scoring, simd), none, scoring), 0);
  }
}

}  // namespace
}  // namespace smith_waterman
