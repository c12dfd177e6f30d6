// SPDX-License-Identifier: Apache-2.0
// The kernels beside parasail's, on one core: cells a second in units of 1e9, the median of some rounds and
// their range.
//   taskset -c 1 build/apps/smith_waterman_kernel_bench
#include <parasail.h>
#include <parasail/matrices/blosum62.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "fasta.h"
#include "kernel.h"
#include "kit/result.h"

namespace {

using namespace smith_waterman;

constexpr int open = 11, extend = 1;
constexpr std::size_t rounds = 9;
constexpr double cells = 2e8;  // a round

struct Contender {
  const char* name;
  std::function<int()> score;
  std::vector<double> speeds = {};
};

int parasail_score(parasail_result_t* result) {
  const int score = result->score;
  parasail_result_free(result);
  return score;
}

void print(const Contender& contender) {
  auto speeds = contender.speeds;
  std::sort(speeds.begin(), speeds.end());
  std::printf("  %-16s %6.2f  (%.2f to %.2f)\n", contender.name, speeds[rounds / 2], speeds.front(),
              speeds.back());
}

void compare(std::size_t length) {
  const std::string query = random_residues(protein_letters, length, 1);
  const auto columns = static_cast<std::size_t>(cells / static_cast<double>(length));
  const std::string target = random_residues(protein_letters, columns, 2);
  const Codes rows = encode(query), codes = encode(target);
  const Scoring scoring = blosum62(open, extend);
  const Profile avx2(rows, scoring, Simd::avx2), sse41(rows, scoring, Simd::sse41);
  const int query_length = static_cast<int>(length), target_length = static_cast<int>(columns);
  parasail_profile_t* const wide =
      parasail_profile_create_avx_256_sat(query.c_str(), query_length, &parasail_blosum62);
  parasail_profile_t* const narrow =
      parasail_profile_create_sse_128_sat(query.c_str(), query_length, &parasail_blosum62);

  std::vector<Contender> contenders = {{"avx2", [&] { return score(avx2, codes, scoring); }},
                                       {"parasail avx2",
                                        [&] {
                                          return parasail_score(parasail_sw_striped_profile_avx2_256_sat(
                                              wide, target.c_str(), target_length, open, extend));
                                        }},
                                       {"sse4.1", [&] { return score(sse41, codes, scoring); }},
                                       {"parasail sse4.1", [&] {
                                          return parasail_score(parasail_sw_striped_profile_sse41_128_sat(
                                              narrow, target.c_str(), target_length, open, extend));
                                        }}};
  const int expected = contenders.front().score();
  for (std::size_t round = 0; round < rounds; ++round) {
    for (auto& contender : contenders) {
      const double began = kit::now();
      const int score = contender.score();
      contender.speeds.push_back(cells / (kit::now() - began) / 1e9);
      if (score != expected) {
        std::fprintf(stderr, "%s scores %d, not %d\n", contender.name, score, expected);
        std::exit(1);
      }
    }
  }
  std::printf("query of %zu residues, score %d:\n", length, expected);
  for (const auto& contender : contenders) print(contender);
  parasail_profile_free(wide);
  parasail_profile_free(narrow);
}

}  // namespace

int main() {
  if (best_simd() != Simd::avx2) return std::fprintf(stderr, "this processor has no AVX2\n"), 1;
  for (const std::size_t length : {100u, 400u, 2000u}) compare(length);
}
