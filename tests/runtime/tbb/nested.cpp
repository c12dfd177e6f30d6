// SPDX-License-Identifier: Apache-2.0
// Calls in nested algorithms, in arenas of every kind, in isolation, in a pipeline: the same sums.
// suspend: suspended >= 100
// auto: suspended >= 1 or lane == 'park'
// park: parked >= 100
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>

#include "case.h"

namespace {

std::atomic<long> sum{0};

void leaf(int i) {
  check(wait_ms(1), "a wait");
  sum += i;
}

void nested_loops() {
  tbb::parallel_for(0, 10, [](int i) {
    tbb::task_group inner;
    for (int k = 0; k < 5; ++k)
      inner.run([i, k] {
        leaf(i);
        tbb::parallel_for(0, 2, [k](int) { leaf(k); });
      });
    inner.wait();
    leaf(1000);
  });
}

void arenas() {
  tbb::task_arena two(2), wide(2, 1), any;
  for (tbb::task_arena* arena : {&two, &wide, &any})
    arena->execute([] { tbb::parallel_for(0, 20, [](int i) { leaf(i); }); });
  // One arena inside a task of another.
  two.execute([&] { tbb::parallel_for(0, 4, [&](int i) { wide.execute([i] { nested_loops(); leaf(i); }); }); });
  tbb::task_group group;
  for (int i = 0; i < 20; ++i) any.enqueue(group.defer([i] { leaf(i); }));
  any.execute([&] { group.wait(); });
}

void isolated() {
  tbb::parallel_for(0, 10, [](int i) {
    leaf(i);
    tbb::this_task_arena::isolate([] { tbb::parallel_for(0, 5, [](int k) { leaf(k); }); });
    leaf(i);
  });
}

void pipeline() {
  int next = 0;
  long in_order = -1;
  tbb::parallel_pipeline(
      8, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                     [&](tbb::flow_control& control) {
                                       if (next == 40) control.stop();
                                       else leaf(1);
                                       return next++;
                                     }) &
             tbb::make_filter<int, int>(tbb::filter_mode::parallel, [](int i) { leaf(i); return i; }) &
             tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, [&](int i) {
               check(i == in_order + 1, "the order of a serial filter");
               in_order = i;
               leaf(1);
             }));
}

void reduce() {
  sum += tbb::parallel_reduce(tbb::blocked_range<int>(0, 50, 2), 0L,
                              [](const tbb::blocked_range<int>& range, long part) {
                                for (int i = range.begin(); i < range.end(); ++i) {
                                  check(wait_ms(1), "a wait");
                                  part += i;
                                }
                                return part;
                              },
                              std::plus<>());
}

}  // namespace

int main() {
  nested_loops();
  arenas();
  isolated();
  pipeline();
  reduce();
  {
    tbb::global_control four(tbb::global_control::max_allowed_parallelism, 4);
    nested_loops();
  }
  std::printf("sum %ld\n", sum.load());
}
