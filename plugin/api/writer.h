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
  // A JSON string: quotes, backslashes and control characters escaped, other bytes as they are.
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

}  // namespace weir::api
