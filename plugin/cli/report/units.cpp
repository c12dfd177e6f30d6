// SPDX-License-Identifier: Apache-2.0
#include "cli/report/units.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace weir::cli {

std::string in_digits(double value, int digits) {
  double size = std::fabs(value);
  int before = size < 1 ? 1 : static_cast<int>(std::log10(size)) + 1;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", std::clamp(digits - before, 0, 6), std::min(size, 1e30) * (value < 0 ? -1 : 1));
  return text;
}

std::string in_seconds(double seconds) {
  if (seconds == 0) return "0 s";
  if (std::fabs(seconds) >= 0.9995) return in_digits(seconds) + " s";
  if (std::fabs(seconds) >= 0.0009995) return in_digits(seconds * 1e3) + " ms";
  return in_digits(seconds * 1e6) + " us";
}

std::string in_bytes(double bytes) {
  constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  int unit = 0;
  while (std::fabs(bytes) >= 999.5 && unit < 5) bytes /= 1000, ++unit;
  return (unit ? in_digits(bytes) : in_count(bytes)) + " " + units[unit];
}

std::string in_count(double count) {
  char digits[64];
  std::snprintf(digits, sizeof digits, "%.0f", std::clamp(count, -1e30, 1e30));
  std::string text = digits;
  std::size_t first = text[0] == '-' ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string in_words(double count, const char* noun) {
  return in_count(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace weir::cli
