// SPDX-License-Identifier: Apache-2.0
// A library with a libtbb of its own: loops, tasks, an arena and a control. Knows nothing of weir.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>

namespace {

constexpr int rounds = 200;

void wait() { std::this_thread::sleep_for(std::chrono::microseconds(500)); }

long looped() {
  std::atomic<long> sum{0};
  auto add = [&](int i) { wait(), sum += i; };
  tbb::parallel_for(0, rounds, add);
  tbb::task_arena arena(2);
  arena.execute([&] { tbb::parallel_for(0, rounds, add); });
  return sum;
}

long tasked() {
  std::atomic<long> sum{0};
  tbb::task_group group;
  for (int i = 0; i < rounds; ++i) group.run([&, i] { wait(), sum += i; });
  group.wait();
  return sum;
}

long piped() {
  long sum = 0;
  int next = 0;
  auto begin = [&](tbb::flow_control& flow) { return next < rounds ? next++ : (flow.stop(), 0); };
  auto work = [](int i) { return wait(), 2 * i; };
  auto in_order = tbb::filter_mode::serial_in_order;
  tbb::parallel_pipeline(4, tbb::make_filter<void, int>(in_order, begin) & tbb::make_filter<int, int>(tbb::filter_mode::parallel, work) &
                                tbb::make_filter<int, void>(in_order, [&](int i) { sum = sum * 3 % 1000003 + i; }));
  return sum;
}

long sorted() {
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, 2);
  std::vector<long> numbers(20000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<long>(i * 7919 % numbers.size());
  tbb::parallel_sort(numbers.begin(), numbers.end());
  return numbers[777];
}

}  // namespace

extern "C" void work() { std::printf("%ld %ld %ld %ld\n", looped(), tasked(), piped(), sorted()); }
