// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <atomic>
#include <cstring>
#include <sys/syscall.h>

namespace weir::base {
namespace {

std::atomic<bool> verbose{false};
std::atomic<void (*)(const Line&)> teller{nullptr};

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
  if (auto* tell = teller.load(std::memory_order_relaxed)) tell(line);
  else write_stderr(line.text(), line.length());
}

}  // namespace

Line& Line::add(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  add_v(format, arguments);
  va_end(arguments);
  return *this;
}

// What stands behind a percent sign.
struct Line::Conversion {
  int digits = 1;      // of a number at least: the width, were it one with zeros
  int precision = -1;
  bool wide = false;   // 64 bits
  char letter = 0;

  const char* read(const char* at, std::va_list arguments) {
    if (*at >= '0' && *at <= '9') at = number(at, digits);
    if (*at == '.') at = *++at == '*' ? (precision = va_arg(arguments, int), at + 1) : number(at, precision);
    for (; *at == 'l' || *at == 'z'; ++at) wide = true;
    letter = *at;
    return letter ? at + 1 : at;
  }

 private:
  static const char* number(const char* at, int& value) {
    for (value = 0; *at >= '0' && *at <= '9'; ++at) value = value * 10 + (*at - '0');
    return at;
  }
};

void Line::put(const char* text, std::size_t length) {
  if (length > capacity - length_) length = capacity - length_;
  std::memcpy(text_ + length_, text, length);
  length_ += length;
  text_[length_] = 0;
}

void Line::put_number(std::uint64_t value, unsigned base, int digits) {
  char text[32];
  char* at = text + sizeof text;
  while (value || (digits > 0 && at > text)) {
    *--at = "0123456789abcdef"[value % base];
    value /= base;
    --digits;
  }
  put(at, static_cast<std::size_t>(text + sizeof text - at));
}

void Line::put_decimal(double value, int decimals) {
  constexpr double most = 9e18;
  if (value < 0) {
    value = -value;
    put("-", 1);
  }
  std::uint64_t scale = 1;
  for (int i = 0; i < decimals; ++i) scale *= 10;
  if (!(value * static_cast<double>(scale) < most)) {  // what has so many digits has no decimals; and what is no number is none here
    put_number(value < most ? static_cast<std::uint64_t>(value) : 0, 10, 1);
    return;
  }
  auto scaled = static_cast<std::uint64_t>(value * static_cast<double>(scale) + 0.5);
  put_number(scaled / scale, 10, 1);
  if (!decimals) return;
  put(".", 1);
  put_number(scaled % scale, 10, decimals);
}

void Line::add_v(const char* format, std::va_list arguments) {
  std::va_list rest;
  va_copy(rest, arguments);
  while (*format) {
    std::size_t plain = std::strcspn(format, "%");
    put(format, plain);
    format += plain;
    if (!*format) break;
    Conversion c;
    format = c.read(format + 1, rest);
    switch (c.letter) {
      case 's': {
        const char* text = va_arg(rest, const char*);
        put(text, c.precision < 0 ? std::strlen(text) : strnlen(text, static_cast<std::size_t>(c.precision)));
        break;
      }
      case 'd': {
        std::int64_t value = c.wide ? va_arg(rest, std::int64_t) : va_arg(rest, int);
        if (value < 0) put("-", 1);
        put_number(value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value), 10, c.digits);
        break;
      }
      case 'u': case 'x':
        put_number(c.wide ? va_arg(rest, std::uint64_t) : va_arg(rest, unsigned), c.letter == 'x' ? 16 : 10, c.digits);
        break;
      case 'f': put_decimal(va_arg(rest, double), c.precision); break;
      default: put(&c.letter, c.letter ? 1 : 0); break;  // a percent sign
    }
  }
  va_end(rest);
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

void say_by(void (*tell)(const Line& line)) { teller.store(tell, std::memory_order_relaxed); }

void set_verbose(bool on) { verbose.store(on, std::memory_order_relaxed); }

const char* words_of(int error) {
  const char* words = strerrordesc_np(error);
  return words ? words : "unknown error";
}

}  // namespace weir::base
