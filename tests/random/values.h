// SPDX-License-Identifier: Apache-2.0
// What a random program, and each loop that `sources` writes, counts with.
#pragma once

#include <cerrno>
#include <cstdint>

using Value = std::uint64_t;

inline Value mix(Value x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// Sums that do not mind the order.
struct Sums {
  Value a = 0, b = 0;
  void add(Value v) {
    a += v;
    b ^= mix(v);
  }
  void merge(const Sums& other) {
    a += other.a;
    b ^= other.b;
  }
  Value fold() const { return mix(a) + b; }
};

// Out of line: compilers keep the address of errno over a call, and a oneTBB task may return from one elsewhere.
[[gnu::noinline]] inline int get_errno() {
  int value = errno;
  asm volatile("" : "+r"(value));
  return value;
}
[[gnu::noinline]] inline void set_errno(int value) {
  asm volatile("" : "+r"(value));
  errno = value;
}
