// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/log.h"

namespace weir::api {

// Text to a file, through a buffer: a report has no size that a buffer would have to fit. The first error ends it.
class Writer {
 public:
  explicit Writer(int fd) : fd_(fd) {}
  void put(const base::Line& line) { put(line.text(), line.length()); }
  void put(const char* text);
  void put(const char* text, std::size_t length);
  // A JSON string: quotes, backslashes and control characters escaped, other characters as they are. A byte that is in none, for names and
  // words need not be UTF-8, becomes the character of its number.
  void put_string(const char* text, std::size_t length);
  void put_string(const char* text);
  int finish();  // writes what is left; 0, or the first error (-errno)

 private:
  void flush();

  int fd_;
  int error_ = 0;
  std::size_t held_ = 0;
  char buffer_[2048];
};

// Of the UTF-8 character that `text` begins with, 1 to 4; 0 where it begins with none that is whole.
std::size_t bytes_of_character(const char* text, std::size_t length);

}  // namespace weir::api
