// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace weir::cli {

// Figures as people say them: three digits, and the unit that fits.
std::string in_seconds(double seconds);                       // "1.24 s", "310 ms", "45 us"
std::string in_bytes(double bytes);                           // "64 B", "1.3 MB"
std::string in_count(double count);                           // "12,345"
std::string in_words(double count, const char* noun);         // "1 call", "12,345 calls"
std::string in_digits(double value, int digits = 3);          // "1.24", "31.9", "480"

}  // namespace weir::cli
