// SPDX-License-Identifier: Apache-2.0
// Local alignment by Smith and Waterman: two long sequences, or a query against a folder of FASTA files.
#include <cstdint>
#include <string>

#include "database.h"
#include "fasta.h"
#include "kit/arguments.h"
#include "kit/folder.h"
#include "kit/result.h"
#include "kit/team.h"
#include "pair.h"
#include "scoring.h"

namespace {

using namespace smith_waterman;

constexpr const char* usage =
    "--rows=FASTA --columns=FASTA [--output=FASTA] [--tile=512] "
    "[--runtime=serial|threads|async|openmp|openmp-tasks|tbb]\n"
    "   or: --query=FASTA --database=FOLDER [--output=FOLDER] [--top=10] [--runtime=...]\n"
    "  [--matrix=blosum62|dna] [--match=2] [--mismatch=3] [--open=11] [--extend=1] "
    "[--simd=auto|scalar|sse41|avx2]\n"
    "  [--threads=N] [--generate --size=RESIDUES [--files=N --sequences=N] [--seed=S]]";

Scoring scoring_of(kit::Arguments& arguments) {
  const std::string matrix = arguments.text("matrix", "blosum62");
  const bool dna = matrix == "dna";
  if (!dna && matrix != "blosum62") arguments.fail("--matrix is blosum62 or dna");
  const long open = arguments.number("open", dna ? 5 : 11), extend = arguments.number("extend", dna ? 2 : 1);
  const long match = arguments.number("match", 2), mismatch = arguments.number("mismatch", 3);
  if (extend < 1 || open < extend || open > 1000)
    arguments.fail("--open and --extend: 1 <= extend <= open <= 1000");
  if (match < 1 || match > 100 || mismatch > 100)
    arguments.fail("--match and --mismatch: at most 100, and a match at least 1");
  if (!dna) return blosum62(static_cast<int>(open), static_cast<int>(extend));
  return match_mismatch(static_cast<int>(match), -static_cast<int>(mismatch), static_cast<int>(open),
                        static_cast<int>(extend));
}

void generate_pair(const PairPlan& plan, bool dna, std::size_t size, std::uint64_t seed) {
  const auto letters = dna ? dna_letters : protein_letters;
  const std::string rows = random_residues(letters, size, seed);
  write_fasta(plan.rows, {{"rows", rows}});
  write_fasta(plan.columns, {{"columns", mutated(rows, letters, seed + 1)}});
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(argc, argv, usage);
  const bool dna = arguments.text("matrix", "blosum62") == "dna";
  const Scoring scoring = scoring_of(arguments);
  const bool searching = !arguments.text("database", "").empty();

  Simd simd = Simd::scalar;
  if (!parse_simd(arguments.text("simd", "auto"), simd))
    arguments.fail("--simd is auto, scalar, sse41 or avx2, and what this processor has");
  PairPlan pair{arguments.text("rows", "rows.fasta"),
                arguments.text("columns", "columns.fasta"),
                arguments.text("output", "alignment.fasta"),
                static_cast<std::size_t>(arguments.number("tile", 512)),
                simd,
                Way::openmp,
                static_cast<unsigned>(arguments.number("threads", 0))};
  if (!parse_way(arguments.text("runtime", "openmp"), pair.way) && !searching)
    arguments.fail("--runtime is one of " + std::string(way_names));
  if (pair.tile == 0 || pair.tile > 8192) arguments.fail("--tile is 1 to 8192");
  const SearchPlan plan{arguments.text("query", "query.fasta"), arguments.text("database", ""),
                        arguments.text("output", arguments.text("database", "") + ".hits"),
                        static_cast<std::size_t>(arguments.number("top", 10)), simd};
  const kit::Team team = searching ? kit::team_of(arguments, "openmp") : kit::Team{};

  const bool make = arguments.flag("generate");
  const auto size = static_cast<std::size_t>(arguments.number("size", 2000));
  const auto files = static_cast<std::size_t>(arguments.number("files", 100));
  const auto sequences = static_cast<std::size_t>(arguments.number("sequences", 10));
  const auto seed = static_cast<std::uint64_t>(arguments.number("seed", 1));
  arguments.finish();
  return kit::or_end([&] {
    if (make && searching) return generate_database(plan, files, sequences, size, seed), 0;
    if (make) return generate_pair(pair, dna, size, seed), 0;
    const double began = kit::now();
    const Outcome outcome = searching ? search(plan, scoring, team) : align_pair(pair, scoring);
    kit::print_result(outcome.checksum, kit::now() - began, outcome.items);
    return 0;
  });
}
