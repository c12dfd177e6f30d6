// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

namespace weir::base {

// All names that an object imports are looked for among such lists: nearly all of them are told apart by their first letters.
inline bool starts(const char* name, const char* with) { return *name == *with && !std::strncmp(name, with, std::strlen(with)); }

template <typename Names>
bool among(const char* name, const Names& names) {
  for (const char* n : names) {
    if (*name == *n && !std::strcmp(name, n)) return true;
  }
  return false;
}

template <typename Starts>
bool starts_with_one(const char* name, const Starts& starts_of_names) {
  for (const char* with : starts_of_names) {
    if (starts(name, with)) return true;
  }
  return false;
}

}  // namespace weir::base
