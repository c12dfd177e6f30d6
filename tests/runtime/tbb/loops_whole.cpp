// SPDX-License-Identifier: Apache-2.0
// A program that asks libc for nothing that could wait has its loops cut as without weir, from the first one on: finer pieces
// would cost it time and bring nothing.
// suspend: suspended == 0 and parked == 0
// auto: suspended == 0 and parked == 0
// park: suspended == 0 and parked == 0
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <atomic>
#include <cstdio>

int main() {
  // Whoever steals has its piece cut again, so their number is not fixed; for 64 processors none has more than 256.
  std::atomic<int> largest{0};
  tbb::parallel_for(tbb::blocked_range<int>(0, 1 << 20), [&](const tbb::blocked_range<int>& piece) {
    for (int i = piece.begin(); i != piece.end(); ++i) asm volatile("" : : "r"(i));
    int size = piece.end() - piece.begin(), most = largest;
    while (size > most && !largest.compare_exchange_weak(most, size)) {}
  });
  std::printf("%s\n", largest > 256 ? "large pieces" : "small pieces");
}
