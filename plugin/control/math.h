// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <emmintrin.h>

#include <bit>
#include <cstdint>

// What the controller needs of mathematics, without libm: the libraries may need libc alone.
namespace weir::control {

inline double square_root(double x) {
  return x > 0 ? _mm_cvtsd_f64(_mm_sqrt_pd(_mm_set_sd(x))) : 0;
}

// x > 0. Mantissa and exponent apart, then atanh's series on a mantissa in [0.7, 1.42): good to 1e-13.
inline double natural_log(double x) {
  auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
  if (mantissa > 1.4142135623730951) mantissa /= 2, ++exponent;
  double t = (mantissa - 1) / (mantissa + 1), t2 = t * t, sum = 0;
  for (int n = 19; n >= 1; n -= 2) sum = sum * t2 + 1.0 / n;
  return 2 * t * sum + exponent * 0.6931471805599453;
}

// |x| < 700. 2^n times the series on what is left.
inline double exponential(double x) {
  double n = static_cast<double>(static_cast<int>(x * 1.4426950408889634 + (x < 0 ? -0.5 : 0.5)));
  double rest = x - n * 0.6931471805599453, sum = 1;
  for (int i = 14; i >= 1; --i) sum = 1 + sum * rest / i;
  return sum * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + static_cast<int>(n)) << 52);
}

inline double magnitude(double x) { return x < 0 ? -x : x; }
inline double larger(double a, double b) { return a > b ? a : b; }
inline double smaller(double a, double b) { return a < b ? a : b; }

}  // namespace weir::control
