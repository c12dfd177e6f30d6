// SPDX-License-Identifier: Apache-2.0
// A query against a folder of FASTA files: the case of a biologist whose sequences lie on a disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "pair.h"

namespace smith_waterman {

struct SearchPlan {
  std::string query;     // FASTA file; the first sequence of it
  std::string database;  // folder; every file below it is read
  std::string
      output;  // folder: for each file one of the same name, a line 'score name' a sequence, the best first
  std::size_t top;  // best hits to print
  Simd simd;
};

// Each file is read, scored and written by one thread. Items are files.
Outcome search(const SearchPlan& plan, const Scoring& scoring, const kit::Team& team);

// Makes a database of `files` files with `sequences` proteins of about `length` each, and a query of that
// length. Into one sequence of every tenth file a mutated piece of the query is put.
void generate_database(const SearchPlan& plan, std::size_t files, std::size_t sequences, std::size_t length,
                       std::uint64_t seed);

}  // namespace smith_waterman
