// SPDX-License-Identifier: Apache-2.0
// The work items of a program that treats many files: what lies in a folder, and where the results go.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

namespace kit {

/// The regular files below `folder`, relative to it, in the order of their names.
inline std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(folder).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The folders in `folder`, by name, in order.
inline std::vector<std::string> folders_in(const std::string& folder) {
  std::vector<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_directory()) folders.push_back(entry.path().filename().string());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

/// "folder/0042.txt"
inline std::string numbered(const std::string& folder, std::int64_t number, const char* ending) {
  char name[48];
  std::snprintf(name, sizeof name, "/%04lld%s", static_cast<long long>(number), ending);
  return folder + name;
}

/// What `body` returns; where it throws, the end of the program with status 1. An exception must not leave a
/// parallel region, and nobody is there to catch it.
template <class Body>
auto or_end(const Body& body) {
  try {
    return body();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    std::_Exit(1);
  }
}

}  // namespace kit
