// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>

#include <atomic>

extern "C" int weir_test_parallel_for() {
  std::atomic<int> sum{0};
  tbb::parallel_for(0, 100, [&](int i) { sum += i; });
  return sum;
}
