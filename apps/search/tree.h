// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kit/runtimes.h"

// What lies in a folder; links are not among it.
struct Folder {
  std::vector<std::string> folders, files;
};
Folder read_folder(const std::string& path);

// All regular files below `root`, in no order; links are not followed. The folders of a level are read in
// parallel.
std::vector<std::string> files_below(const std::string& root, kit::Runtime runtime, unsigned threads);

// Makes `files` files in the manner of C sources below `root`, about `bytes` each, in folders of 50. Every
// file whose number is a multiple of 97 holds `needle` in one line.
void generate_sources(const std::string& root, std::int64_t files, std::size_t bytes,
                      const std::string& needle);

// Takes every file's pages out of the page cache.
void make_cold(const std::vector<std::string>& files);
