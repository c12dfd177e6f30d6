// SPDX-License-Identifier: Apache-2.0
#include <tbb/blocked_range.h>
#include <tbb/concurrent_queue.h>
#include <tbb/flow_graph.h>
#include <oneapi/tbb/mutex.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/queuing_mutex.h>
#include <tbb/spin_mutex.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <execution>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>

#include "items.h"

namespace shapes {
namespace {

struct Item {
  int index;
  Bytes content;
  std::uint64_t sum = 0;
};
using ItemPointer = std::shared_ptr<Item>;
using tbb::filter_mode;

template <typename One>
std::uint64_t reduced(int end, One one) {
  return tbb::parallel_reduce(
      tbb::blocked_range<int>(0, end), std::uint64_t{0},
      [&](const tbb::blocked_range<int>& range, std::uint64_t sum) {
        for (int i = range.begin(); i < range.end(); ++i) sum += one(i);
        return sum;
      },
      std::plus<>());
}

std::uint64_t tbb_loop(const Items& items) {
  return reduced(items.files, [&](int i) { return items.one(i); });
}

std::uint64_t tbb_stdio(const Items& items) {
  return reduced(items.files, [&](int i) { return items.work(i, items.read_stdio(i)); });
}

std::uint64_t tbb_group(const Items& items) {
  std::atomic<std::uint64_t> sum{0};
  tbb::task_group group;
  for (int i = 0; i < items.files; ++i) group.run([&items, &sum, i] { sum += items.one(i); });
  group.wait();
  return sum;
}

std::uint64_t tbb_reader(const Items& items) {
  std::atomic<std::uint64_t> sum{0};
  tbb::task_group group;
  for (int i = 0; i < items.files; ++i) {
    const auto content = std::make_shared<Bytes>(items.read(i));
    group.run([&items, &sum, i, content] { sum += items.work(i, *content); });
  }
  group.wait();
  return sum;
}

// The first stage reads, or only counts, and then the second reads.
std::uint64_t pipeline(const Items& items, bool reads_in_turn) {
  std::uint64_t sum = 0;
  int next = 0;
  const auto first = [&](tbb::flow_control& control) -> Item* {
    if (next < items.files) {
      const int i = next++;
      return new Item{i, reads_in_turn ? items.read(i) : Bytes()};
    }
    control.stop();
    return nullptr;
  };
  const auto second = [&](Item* item) {
    if (!reads_in_turn) item->content = items.read(item->index);
    item->sum = items.work(item->index, item->content);
    return item;
  };
  const auto last = [&](Item* item) {
    sum += item->sum;
    delete item;
  };
  tbb::parallel_pipeline(32, tbb::make_filter<void, Item*>(filter_mode::serial_in_order, first) &
                                 tbb::make_filter<Item*, Item*>(filter_mode::parallel, second) &
                                 tbb::make_filter<Item*, void>(filter_mode::serial_in_order, last));
  return sum;
}

std::uint64_t tbb_pipeline(const Items& items) { return pipeline(items, true); }
std::uint64_t tbb_pipeline_reads(const Items& items) { return pipeline(items, false); }

std::uint64_t flow(const Items& items, std::size_t readers) {
  std::atomic<std::uint64_t> sum{0};
  int next = 0;
  tbb::flow::graph graph;
  tbb::flow::input_node<int> source(graph, [&](tbb::flow_control& control) {
    if (next < items.files) return next++;
    control.stop();
    return 0;
  });
  tbb::flow::limiter_node<int> limiter(graph, 64);
  tbb::flow::function_node<int, ItemPointer> reader(
      graph, readers, [&](int i) { return std::make_shared<Item>(Item{i, items.read(i)}); });
  tbb::flow::function_node<ItemPointer, tbb::flow::continue_msg> worker(graph, tbb::flow::unlimited, [&](const ItemPointer& item) {
    sum += items.work(item->index, item->content);
    return tbb::flow::continue_msg();
  });
  tbb::flow::make_edge(source, limiter);
  tbb::flow::make_edge(limiter, reader);
  tbb::flow::make_edge(reader, worker);
  tbb::flow::make_edge(worker, limiter.decrementer());
  source.activate();
  graph.wait_for_all();
  return sum;
}

std::uint64_t tbb_flow(const Items& items) { return flow(items, 1); }
std::uint64_t tbb_flow_reads(const Items& items) { return flow(items, tbb::flow::unlimited); }

std::uint64_t on_parts(const Items& items, int index, const Bytes& content) {
  return reduced(parts, [&](int part) { return items.work_on_part(index, content, part, parts); });
}

std::uint64_t tbb_inner(const Items& items) {
  std::uint64_t sum = 0;
  for (int i = 0; i < items.files; ++i) sum += on_parts(items, i, items.read(i));
  return sum;
}

std::uint64_t tbb_nested(const Items& items) {
  return reduced(items.files, [&](int i) { return on_parts(items, i, items.read(i)); });
}

std::uint64_t tbb_feeder(const Items& items) {
  std::atomic<std::uint64_t> sum{0};
  const std::vector<int> root{0};
  tbb::parallel_for_each(root.begin(), root.end(), [&](int i, tbb::feeder<int>& feeder) {
    for (int child : {2 * i + 1, 2 * i + 2}) {
      if (child < items.files) feeder.add(child);
    }
    sum += items.one(i);
  });
  return sum;
}

std::uint64_t tbb_queue(const Items& items) {
  constexpr int takers = 4;
  tbb::concurrent_bounded_queue<ItemPointer> queue;
  queue.set_capacity(16);
  std::thread reader([&] {
    for (int i = 0; i < items.files; ++i) queue.push(std::make_shared<Item>(Item{i, items.read(i)}));
    for (int i = 0; i < takers; ++i) queue.push(nullptr);
  });
  std::atomic<std::uint64_t> sum{0};
  tbb::parallel_for(
      0, takers, 1,
      [&](int) {
        for (ItemPointer item; queue.pop(item), item;) sum += items.work(item->index, item->content);
      },
      tbb::simple_partitioner());
  reader.join();
  return sum;
}

template <typename Mutex>
std::uint64_t under(const Items& items) {
  Mutex mutex;
  int next = 0;
  return reduced(items.files, [&](int) {
    Bytes content;
    int i;
    {
      const typename Mutex::scoped_lock guard(mutex);
      i = next++;
      content = items.read(i);
    }
    return items.work(i, content);
  });
}

struct StandardMutex : std::mutex {
  using scoped_lock = std::lock_guard<std::mutex>;
};

std::vector<int> numbers(int files) {
  std::vector<int> all(static_cast<std::size_t>(files));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::uint64_t standard_for_each(const Items& items) {
  const std::vector<int> all = numbers(items.files);
  std::atomic<std::uint64_t> sum{0};
  std::for_each(std::execution::par, all.begin(), all.end(), [&](int i) { sum += items.one(i); });
  return sum;
}

std::uint64_t standard_reduce(const Items& items) {
  const std::vector<int> all = numbers(items.files);
  return std::transform_reduce(std::execution::par, all.begin(), all.end(), std::uint64_t{0}, std::plus<>(),
                               [&](int i) { return items.one(i); });
}

}  // namespace

const std::vector<Shape>& tbb_shapes() {
  static const std::vector<Shape> all = {
      {"tbb-loop", "parallel_reduce", tbb_loop, false},
      {"tbb-stdio", "the same, by fread", tbb_stdio, false},
      {"tbb-group", "task_group, a task a file", tbb_group, false},
      {"tbb-reader", "main reads, and makes a task of each", tbb_reader, false},
      {"tbb-pipeline", "a pipeline whose first stage reads", tbb_pipeline, false},
      {"tbb-pipeline-reads", "a pipeline that reads in its parallel stage", tbb_pipeline_reads, false},
      {"tbb-flow", "a flow graph, one reader", tbb_flow, false},
      {"tbb-flow-reads", "a flow graph, any number of readers", tbb_flow_reads, false},
      {"tbb-inner", "each file by a loop over its parts", tbb_inner, true},
      {"tbb-nested", "a loop over files, each by a loop over its parts", tbb_nested, true},
      {"tbb-feeder", "parallel_for_each with a feeder", tbb_feeder, false},
      {"tbb-queue", "a std::thread reads into a bounded queue", tbb_queue, false},
      {"tbb-mutex", "each reads the next under a std::mutex", under<StandardMutex>, false},
      {"tbb-lock", "the same, a tbb::mutex", under<tbb::mutex>, false},
      {"tbb-spin", "the same, a tbb::spin_mutex", under<tbb::spin_mutex>, false},
      {"tbb-queuing", "the same, a tbb::queuing_mutex", under<tbb::queuing_mutex>, false},
      {"tbb-for-each", "C++17's for_each, std::execution::par", standard_for_each, false},
      {"tbb-transform", "its transform_reduce", standard_reduce, false},
  };
  return all;
}

}  // namespace shapes
