// SPDX-License-Identifier: Apache-2.0
// Input for a compressor: folders of text and of images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace bzip2 {

// `bytes` of words as frequent as in a natural language (the k-th most frequent has 1/k of the first's
// share).
std::string words(std::size_t bytes, std::uint64_t seed);

// A grey PGM image of about `bytes`: smooth shapes and a little noise, as a camera has it.
std::string picture(std::size_t bytes, std::uint64_t seed);

// Makes `files` files of about `bytes` each below `folder`, in sub-folders of 100; every other one is a
// picture. Throws std::system_error.
void generate_tree(const std::string& folder, std::size_t files, std::size_t bytes, std::uint64_t seed);

}  // namespace bzip2
