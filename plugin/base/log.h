// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>

namespace weir::base {

// Text put together in a buffer on the stack: no allocation, no stdio, usable in any thread at any time. Decimals have a point,
// whatever the program's locale says: the text may be JSON.
class Line {
 public:
  // printf's %s %.Ns %.*s %d %u %x, with l, ll, z, or a width like 04; %.Nf and %%; no others. Cut at the capacity, never past it.
  __attribute__((format(printf, 2, 3))) Line& add(const char* format, ...);
  void add_v(const char* format, std::va_list arguments);
  const char* text() const { return text_; }
  std::size_t length() const { return length_; }

 private:
  struct Conversion;
  void put(const char* text, std::size_t length);
  void put_number(std::uint64_t value, unsigned base, int digits);
  void put_decimal(double value, int decimals);
  static constexpr std::size_t capacity = 1024;
  std::size_t length_ = 0;
  char text_[capacity + 1] = {};
};

// Writes "weir: ...\n" to stderr with one system call, if the settings say verbose. Errors are ignored. From say_by() on, by that
// function.
__attribute__((format(printf, 1, 2))) void say_if_verbose(const char* format, ...);

// The same, whatever the settings: for what the user asked to be told.
__attribute__((format(printf, 1, 2))) void say(const char* format, ...);

void set_verbose(bool on);
void say_by(void (*tell)(const Line& line));

// What an error is called in English. (libc's strerror translates it, which takes locks and reads files.)
const char* words_of(int error);

}  // namespace weir::base
