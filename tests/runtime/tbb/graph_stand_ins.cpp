// SPDX-License-Identifier: Apache-2.0
// In the park lane there are stand-ins in a flow graph too, which makes itself an arena.
// park: parked >= 100 and peak_in_flight >= 32
#include <oneapi/tbb/flow_graph.h>

#include "case.h"

int main() {
  constexpr int calls = 200;
  std::atomic<int> done{0};
  int next = 0;
  tbb::flow::graph graph;
  tbb::flow::input_node<int> source(graph, [&](tbb::flow_control& control) {
    if (next == calls) control.stop();
    return next++;
  });
  tbb::flow::function_node<int> waiter(graph, tbb::flow::unlimited, [&](int) {
    if (wait_ms(10)) ++done;
  });
  tbb::flow::make_edge(source, waiter);
  source.activate();
  graph.wait_for_all();
  std::printf("%d\n", done.load());
}
