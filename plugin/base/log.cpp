// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <sys/syscall.h>

namespace weir::base {
namespace {

std::atomic<bool> verbose{false};

// base may include nothing, sys not even: the one raw call it makes stands here.
void write_stderr(const char* text, std::size_t length) {
  long ignored;
  asm volatile("syscall"
               : "=a"(ignored)
               : "a"(SYS_write), "D"(2), "S"(text), "d"(length)
               : "rcx", "r11", "memory");
}

void say_v(const char* format, std::va_list arguments) {
  Line line;
  line.add("weir: ");
  line.add_v(format, arguments);
  line.add("\n");
  write_stderr(line.text(), line.length());
}

}  // namespace

Line& Line::add(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  add_v(format, arguments);
  va_end(arguments);
  return *this;
}

void Line::add_v(const char* format, std::va_list arguments) {
  // vsnprintf with these conversions neither allocates nor locks in glibc.
  int n = std::vsnprintf(text_ + length_, capacity + 1 - length_, format, arguments);
  if (n < 0) return;
  length_ = length_ + n > capacity ? capacity : length_ + n;
}

void say(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  say_v(format, arguments);
  va_end(arguments);
}

void say_if_verbose(const char* format, ...) {
  if (!verbose.load(std::memory_order_relaxed)) return;
  std::va_list arguments;
  va_start(arguments, format);
  say_v(format, arguments);
  va_end(arguments);
}

void set_verbose(bool on) { verbose.store(on, std::memory_order_relaxed); }

const char* words_of(int error) {
  const char* words = strerrordesc_np(error);
  return words ? words : "unknown error";
}

}  // namespace weir::base
