// SPDX-License-Identifier: Apache-2.0
// PARSEC's option files: the number of options, then a line each
//   spot strike rate dividend-yield volatility years C|P dividends reference-price
// and its result files: the number of options, then a price a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "option.h"

namespace blackscholes {

// The options in the text of an option file. Throws std::runtime_error, with `name` in it, where the text is
// no such file.
std::vector<Option> parse_options(std::string_view text, const std::string& name);

// Reads the whole of `path` with read(). Throws std::system_error.
std::string read_text(const std::string& path);

// Writes a result file. Throws std::system_error.
void write_prices(const std::string& path, std::span<const double> prices);

// Writes an option file of `count` options drawn from `seed`, with their prices by erfc() as references.
// Throws std::system_error.
void generate_options(const std::string& path, std::size_t count, std::uint64_t seed);

// The price by the closed form, with the C library's erfc() for the normal distribution: what tests compare
// with.
double closed_form(const Option& option);

}  // namespace blackscholes
