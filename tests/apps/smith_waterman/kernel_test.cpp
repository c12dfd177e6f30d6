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
    const std::string a = random_residues(letters, 1 + random() % 150, random());
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
