// SPDX-License-Identifier: Apache-2.0
// One stage waits, in turn and not for long, and the next computes: no call blocks beside another, and the tasks stay on as many
// threads as there are cores. (With one core alone a second is worth having, and so is one for waits that a busy machine makes long.)
// park: parked >= 100
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_pipeline.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>

#include "case.h"

namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

void compute(microseconds time) {
  for (const auto end = steady_clock::now() + time; steady_clock::now() < end;) {}
}

}  // namespace

int main() {
  constexpr int items = 400;
  std::mutex noting;
  std::set<std::thread::id> threads;
  int waited = 0, computed = 0;
  double mean = 0;
  bool slow = false;
  const auto first = [&](tbb::flow_control& control) {
    if (waited == items) {
      control.stop();
      return items;
    }
    const auto began = steady_clock::now();
    if (!wait_us(200)) std::abort();
    const double took = std::min(4000.0, std::chrono::duration<double, std::micro>(steady_clock::now() - began).count());
    mean += (took - mean) / 8;
    slow |= mean > 800;
    return waited++;
  };
  const auto second = [&](int) {
    compute(microseconds(300));
    std::lock_guard lock(noting);
    threads.insert(std::this_thread::get_id());
    ++computed;
  };
  tbb::parallel_pipeline(8, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, first) &
                                tbb::make_filter<int, void>(tbb::filter_mode::parallel, second));
  const auto cores = static_cast<std::size_t>(tbb::info::default_concurrency());
  const bool few = threads.size() <= cores || cores == 1 || slow;
  std::printf("%d computed, on no more threads than cores: %s\n", computed, few ? "yes" : "no");
}
