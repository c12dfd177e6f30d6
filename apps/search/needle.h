// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

// What is looked for. Sixteen places are tried at a time, by the first and the last byte.
class Needle {
 public:
  explicit Needle(std::string text) : text_(std::move(text)) {}

  // Where it begins in these bytes; nullptr: nowhere.
  const char* find(const char* begin, const char* end) const;

 private:
  std::string text_;  // at least one byte
};
