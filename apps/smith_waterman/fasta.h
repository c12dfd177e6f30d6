// SPDX-License-Identifier: Apache-2.0
// FASTA: a line '>name description', then lines of residues until the next '>'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace smith_waterman {

struct Sequence {
  std::string name;  // the first word of the header
  std::string residues;
};

// Throws std::runtime_error, with `name` in it, where residues come before the first header.
std::vector<Sequence> parse_fasta(std::string_view text, const std::string& name);

// Both throw std::system_error.
std::vector<Sequence> read_fasta(const std::string& path);
void write_fasta(const std::string& path, const std::vector<Sequence>& sequences);

// A sequence of `length` letters drawn from `letters`.
std::string random_residues(std::string_view letters, std::size_t length, std::uint64_t seed);

// `residues` as evolution might leave it: one letter in twenty changed, one gap or insertion in a hundred.
std::string mutated(std::string_view residues, std::string_view letters, std::uint64_t seed);

inline constexpr std::string_view protein_letters = "ARNDCQEGHILKMFPSTWYV";
inline constexpr std::string_view dna_letters = "ACGT";

}  // namespace smith_waterman
