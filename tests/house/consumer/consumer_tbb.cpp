// SPDX-License-Identifier: Apache-2.0
#include <oneapi/tbb/parallel_for.h>
#include <weir/tbb.hpp>

#include <atomic>
#include <cstdio>

int main() {
  weir::io_arena arena;
  std::atomic<int> slept{0};
  arena.execute([&] { tbb::parallel_for(0, 100, [&](int) { slept += weir::sleep(1'000'000) == 0; }); });
  if (slept != 100 || arena.statistics().calls != 100) return 1;
  std::puts("oneTBB is served");
}
