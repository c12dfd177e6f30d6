// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace kit {

// A 64-bit value that depends on every bit of another.
inline std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// Of bytes, in order (FNV-1a by words, then mixed).
inline std::uint64_t hash(const void* data, std::size_t bytes, std::uint64_t seed = 0) {
  auto* at = static_cast<const unsigned char*>(data);
  std::uint64_t h = 0xcbf29ce484222325ull ^ mix(seed + 1);
  for (; bytes >= 8; bytes -= 8, at += 8) {
    std::uint64_t word;
    __builtin_memcpy(&word, at, 8);
    h = (h ^ word) * 0x100000001b3ull;
    h ^= h >> 29;
  }
  for (; bytes; --bytes, ++at) h = (h ^ *at) * 0x100000001b3ull;
  return mix(h);
}

// Items in any order give the same sum: what parallel loops need. `+=` the hashes of the items, each with its
// index.
inline std::uint64_t item(std::uint64_t index, std::uint64_t value) { return mix(mix(index) + value); }

// A stream of pseudo-random numbers (splitmix64), the same everywhere for a seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15ull); }
  std::uint64_t below(std::uint64_t bound) { return bound ? next() % bound : 0; }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace kit
