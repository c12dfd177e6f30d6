// SPDX-License-Identifier: Apache-2.0
#include "option.h"

#include <cmath>
#include <cstddef>

namespace blackscholes {

namespace {

// Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17.
double normal_distribution(double x) {
  constexpr double inverse_sqrt_2pi = 0.39894228040143267794;
  const double distance = std::fabs(x);
  const double t = 1.0 / (1.0 + 0.2316419 * distance);
  const double series =
      t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const double tail = inverse_sqrt_2pi * std::exp(-0.5 * distance * distance) * series;
  return x < 0 ? tail : 1.0 - tail;
}

}  // namespace

double price(const Option& option) {
  const double deviation = option.volatility * std::sqrt(option.years);
  const double drift = option.rate - option.dividend + 0.5 * option.volatility * option.volatility;
  const double d1 = (std::log(option.spot / option.strike) + drift * option.years) / deviation;
  const double d2 = d1 - deviation;
  const double spot = option.spot * std::exp(-option.dividend * option.years);
  const double strike = option.strike * std::exp(-option.rate * option.years);
  if (option.put) return strike * normal_distribution(-d2) - spot * normal_distribution(-d1);
  return spot * normal_distribution(d1) - strike * normal_distribution(d2);
}

// Not inlined, and through memory: else a compiler may see that every round gives the same and do one.
[[gnu::noinline]] static void price_round(std::span<const Option> options, std::span<double> prices) {
  for (std::size_t i = 0; i < options.size(); ++i) prices[i] = price(options[i]);
  asm volatile("" ::: "memory");
}

void price_all(std::span<const Option> options, std::span<double> prices, int rounds) {
  for (int round = 0; round < rounds; ++round) price_round(options, prices);
}

}  // namespace blackscholes
