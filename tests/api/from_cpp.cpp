// SPDX-License-Identifier: Apache-2.0
// The header is C++ as well, and init from many threads at once is one init.
#include <unistd.h>

#include <cstdio>
#include <thread>
#include <vector>

#include "weir/runtime.h"
#include "weir/weir.h"

int main() {
  std::vector<std::thread> threads;
  int wrong[8] = {};
  for (int t = 0; t < 8; ++t) threads.emplace_back([&wrong, t] { wrong[t] = weir_init(nullptr) || weir_sleep(1000); });
  for (std::thread& thread : threads) thread.join();
  for (int w : wrong)
    if (w) return std::puts("init or sleep failed"), 1;
  weir_statistics s{};
  s.size = sizeof s;
  if (weir_statistics_get(&s) || s.calls != 8) return std::puts("eight sleeps were not counted"), 1;
  return 0;
}
