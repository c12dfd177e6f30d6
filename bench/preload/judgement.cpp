// SPDX-License-Identifier: Apache-2.0
// What auto takes to look at a program: everything that this process has loaded, which is a usual program's. The best and
// the median of many looks, in microseconds; and the question whether more was loaded, which each wait asks.
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "lane/decision.h"

namespace {

template <typename Body>
void print_us(const char* name, int times, Body body) {
  std::vector<double> took;
  for (int i = 0; i < times; ++i) {
    auto began = std::chrono::steady_clock::now();
    body();
    took.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count());
  }
  std::sort(took.begin(), took.end());
  std::printf("%s best %.2f median %.2f\n", name, took.front(), took[took.size() / 2]);
}

}  // namespace

int main() {
  oneapi::tbb::task_group group;  // so that libtbb is loaded
  group.run_and_wait([] {});
  int objects = 0;
  print_us("judgement_us", 400, [&] {
    weir::lane::Loaded fresh;
    weir::lane::refresh(fresh);
    objects = fresh.decision.objects;
  });
  print_us("question_us", 4000, [] { weir::lane::count_loaded(); });
  std::printf("objects %d\n", objects);
  return 0;
}
