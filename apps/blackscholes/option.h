// SPDX-License-Identifier: Apache-2.0
// One European option, as a line of a PARSEC option file gives it, and its price by Black and Scholes.
#pragma once

#include <span>

namespace blackscholes {

struct Option {
  double spot = 0;
  double strike = 0;
  double rate = 0;        // risk-free interest, a year
  double dividend = 0;    // continuous dividend yield, a year
  double volatility = 0;  // a year
  double years = 0;       // to expiration
  bool put = false;
  double reference = 0;  // the price somebody else computed; 0 where the file has none
};

// The price of one option. Precondition: strike, volatility and years are positive.
// The normal distribution is approximated as in PARSEC (Abramowitz and Stegun 26.2.17, absolute error
// under 7.5e-8).
double price(const Option& option);

// Prices `options` into `prices`, which is as long, `rounds` times: PARSEC computes each option 100 times to
// make the work heavier than the reading.
void price_all(std::span<const Option> options, std::span<double> prices, int rounds);

}  // namespace blackscholes
