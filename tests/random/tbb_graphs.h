// SPDX-License-Identifier: Apache-2.0
// Flow graphs and pipelines of a random oneTBB program. Included by tbb.cpp, whose nodes are the leaves of
// these.
#pragma once

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_pipeline.h>

#include <optional>

#include "leaves.h"

namespace graphs {

namespace flow = tbb::flow;

// One message, several ways, joined again by its number.
inline Value joined(Key key) {
  constexpr int count = 5;
  using Numbered = std::pair<int, Value>;
  std::atomic<Value> all{0};
  flow::graph graph;
  flow::broadcast_node<int> first(graph);
  flow::function_node<int, Numbered> left(graph, key.pick(2, 1) ? flow::unlimited : 2,
                                          [&](int i) { return Numbered{i, leaf(key.child(i))}; });
  flow::function_node<int, Numbered> right(graph, flow::serial,
                                           [&](int i) { return Numbered{i, common(key.child(20 + i))}; });
  auto number_of = [](const Numbered& n) { return n.first; };
  flow::join_node<std::tuple<Numbered, Numbered>, flow::key_matching<int>> both(graph, number_of, number_of);
  flow::function_node<std::tuple<Numbered, Numbered>> last(
      graph, flow::unlimited, [&](const std::tuple<Numbered, Numbered>& t) {
        check(std::get<0>(t).first == std::get<1>(t).first, "what is joined", key);
        all += mix(std::get<0>(t).second + 3 * std::get<1>(t).second) + leaf(key.child(40));
      });
  flow::make_edge(first, left);
  flow::make_edge(first, right);
  flow::make_edge(left, flow::input_port<0>(both));
  flow::make_edge(right, flow::input_port<1>(both));
  flow::make_edge(both, last);
  for (int i = 0; i < count; ++i) first.try_put(i);
  graph.wait_for_all();
  return all;
}

// Made by the graph itself; so many at a time, in a node with several outputs. (Not by a limiter_node: libtbb
// 2021.8 loses the last one, bare.)
inline Value limited(Key key) {
  constexpr int count = 8;
  std::atomic<int> inside{0}, sent{0};
  std::atomic<Value> even{0}, odd{0};
  int most = 1 + key.pick(3, 1);
  flow::graph graph;
  flow::input_node<int> source(graph, [&](tbb::flow_control& control) {
    if (sent == count) return control.stop(), 0;
    append(key.child(60 + sent));
    return sent++;
  });
  using Two = flow::multifunction_node<int, std::tuple<Value, Value>>;
  Two work(graph, most, [&](int i, Two::output_ports_type& ports) {
    check(++inside <= most, "more than a node lets in", key);
    Value value = common(key.child(i));
    --inside;
    if (i % 2)
      std::get<1>(ports).try_put(value);
    else
      std::get<0>(ports).try_put(value);
  });
  flow::function_node<Value, flow::continue_msg> evens(
      graph, flow::serial, [&](Value v) { return even += v + leaf(key.child(30)), flow::continue_msg(); });
  flow::function_node<Value, flow::continue_msg> odds(
      graph, flow::unlimited, [&](Value v) { return odd += v, flow::continue_msg(); });
  flow::make_edge(source, work);
  flow::make_edge(flow::output_port<0>(work), evens);
  flow::make_edge(flow::output_port<1>(work), odds);
  source.activate();
  graph.wait_for_all();
  return mix(even) + odd;
}

// Answers that come from a thread outside.
inline Value answered(Key key) {
  constexpr int count = 4;
  std::atomic<Value> all{0};
  flow::graph graph;
  using Asks = flow::async_node<int, Value>;
  std::vector<std::thread> others;
  std::mutex mutex;
  Asks asks(graph, key.pick(2, 1) ? flow::unlimited : flow::serial, [&](int i, Asks::gateway_type& gateway) {
    gateway.reserve_wait();
    Value before = leaf(key.child(i));
    std::lock_guard<std::mutex> lock(mutex);
    others.emplace_back([&gateway, before, i, key] {
      usleep(key.pick(200, 10 + i));
      gateway.try_put(before + i);
      gateway.release_wait();
    });
  });
  flow::function_node<Value> hears(graph, flow::unlimited,
                                   [&](Value v) { all += mix(v) + leaf(key.child(50)); });
  flow::make_edge(asks, hears);
  for (int i = 0; i < count; ++i) asks.try_put(i);
  graph.wait_for_all();
  for (std::thread& other : others) other.join();
  return all;
}

// What waits for all before it; twice, as a graph may be used again.
inline Value diamond(Key key) {
  Value a = 0, b = 0, c = 0, d = 0;
  using Node = flow::continue_node<flow::continue_msg>;
  flow::graph graph;
  Node top(graph, [&](const flow::continue_msg&) { a = common(key.child(0)); });
  Node left(graph, [&](const flow::continue_msg&) { b = mix(a + leaf(key.child(1))); });
  Node right(graph, [&](const flow::continue_msg&) { c = mix(a + common(key.child(2)) + 1); });
  Node bottom(graph, [&](const flow::continue_msg&) { d = mix(d + b + c + leaf(key.child(3))); });
  for (Node* n : {&left, &right}) {
    flow::make_edge(top, *n);
    flow::make_edge(*n, bottom);
  }
  for (int i = 0; i <= key.pick(2, 1); ++i) {
    top.try_put(flow::continue_msg());
    graph.wait_for_all();
  }
  return d;
}

// One that throws: which others ran is chance, so they give nothing.
inline Value thrown_in_a_graph(Key key) {
  flow::graph graph;
  flow::function_node<int> throws(graph, flow::unlimited, [&](int i) {
    timer(key.child(i));
    if (i == 2) throw Thrown{key.bits};
    read_at(key.child(i));
  });
  for (int i = 0; i < 4; ++i) throws.try_put(i);
  try {
    graph.wait_for_all();
  } catch (const Thrown& t) {
    leaf(key.child(30));
    check(t.value == key.bits && graph.exception_thrown() && graph.is_cancelled(), "what a node threw", key);
    graph.reset();
    return 89;
  }
  wrong("a graph did not throw", key);
}

inline Value graph(Key key) {
  switch (key.pick(5, 16)) {
    case 0:
      return joined(key);
    case 1:
      return limited(key);
    case 2:
      return answered(key);
    case 3:
      return diamond(key);
    default:
      return thrown_in_a_graph(key);
  }
}

// A pipeline within a stage of a pipeline, with few and many tokens.
inline Value pipeline(Key key, int depth) {
  int next = 0, out = 0, count = 3 + key.pick(5, 1);
  Value all = 0;
  tbb::parallel_pipeline(
      1 + key.pick(8, 2),
      tbb::make_filter<void, std::pair<int, Value>>(tbb::filter_mode::serial_in_order,
                                                    [&](tbb::flow_control& control) -> std::pair<int, Value> {
                                                      if (next == count)
                                                        return control.stop(), std::pair<int, Value>{};
                                                      int i = next++;
                                                      return {i, leaf(key.child(i))};
                                                    }) &
          tbb::make_filter<std::pair<int, Value>, std::pair<int, Value>>(
              key.pick(2, 3) ? tbb::filter_mode::parallel : tbb::filter_mode::serial_out_of_order,
              [&](std::pair<int, Value> p) -> std::pair<int, Value> {
                return {p.first, p.second + (depth > 1 ? pipeline(key.child(40 + p.first), 1)
                                                       : common(key.child(40 + p.first)))};
              }) &
          tbb::make_filter<std::pair<int, Value>, void>(tbb::filter_mode::serial_in_order,
                                                        [&](std::pair<int, Value> p) {
                                                          check(p.first == out++, "a pipeline's order", key);
                                                          all = mix(all + p.second + leaf(key.child(80)));
                                                        }));
  check(out == count, "what a pipeline brought", key);
  return all;
}

}  // namespace graphs
