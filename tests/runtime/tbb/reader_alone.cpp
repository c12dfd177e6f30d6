// SPDX-License-Identifier: Apache-2.0
// One stage waits, in turn, and the next computes: no call blocks beside another, and the tasks stay on as many threads as there
// are cores (with one core alone a second is worth having).
// park: parked >= 100
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_pipeline.h>

#include <chrono>
#include <mutex>
#include <set>

#include "case.h"

namespace {

void compute_us(int us) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
  while (std::chrono::steady_clock::now() < end) {}
}

}  // namespace

int main() {
  constexpr int items = 200;
  std::mutex noting;
  std::set<std::thread::id> threads;
  int waited = 0, computed = 0;
  const auto first = [&](tbb::flow_control& control) {
    if (waited < items && wait_ms(1)) return waited++;
    control.stop();
    return items;
  };
  const auto second = [&](int) {
    compute_us(500);
    std::lock_guard lock(noting);
    threads.insert(std::this_thread::get_id());
    ++computed;
  };
  tbb::parallel_pipeline(8, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, first) &
                                tbb::make_filter<int, void>(tbb::filter_mode::parallel, second));
  const auto cores = static_cast<std::size_t>(tbb::info::default_concurrency());
  std::printf("%d computed, on no more threads than cores: %s\n", computed, cores == 1 || threads.size() <= cores ? "yes" : "no");
}
