// SPDX-License-Identifier: Apache-2.0
// Random oneTBB programs: loops, groups, reductions, pipelines, arenas, nested by chance.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/collaborative_call_once.h>
#include <oneapi/tbb/concurrent_hash_map.h>
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "leaves.h"
#include "tbb_arenas.h"
#include "tbb_graphs.h"

namespace {

Value node(Key key, int depth);

constexpr int most_children = 5;

struct Children {
  Value values[most_children] = {};
  int count;
  explicit Children(Key key) : count(1 + key.pick(most_children, 1)) {}
  Value fold() const {
    Value all = 0;
    for (int i = 0; i < count; ++i) all = mix(all + values[i]);
    return all;
  }
};

Value for_loop(Key key, int depth) {
  Children c(key);
  auto body = [&](int i) { c.values[i] = node(key.child(i), depth - 1); };
  switch (key.pick(3, 2)) {
    case 0: tbb::parallel_for(0, c.count, body); break;
    case 1: tbb::parallel_for(0, c.count, body, tbb::simple_partitioner()); break;
    default: tbb::parallel_for(0, c.count, body, tbb::static_partitioner());
  }
  return c.fold();
}

Value group(Key key, int depth) {
  Children c(key);
  tbb::task_group tasks;
  for (int i = 0; i < c.count; ++i) tasks.run([&c, key, i, depth] { c.values[i] = node(key.child(i), depth - 1); });
  Value own = key.pick(2, 5) ? common(key.child(40)) : 0;
  if (key.pick(2, 6)) tasks.wait();
  else tasks.run_and_wait([&] { own += node(key.child(41), depth - 1); });
  return c.fold() + own;
}

// One task throws; which others ran by then is chance, so they give nothing.
Value thrown_over(Key key) {
  Children c(key);
  tbb::task_group tasks;
  int who = key.pick(c.count, 2);
  for (int i = 0; i < c.count; ++i)
    tasks.run([key, i, who] {
      timer(key.child(i));
      if (i == who) throw Thrown{key.bits};
    });
  try {
    tasks.wait();
  } catch (const Thrown& t) {
    leaf(key.child(30));
    check(t.value == key.bits, "what a task threw", key);
    return 19;
  }
  wrong("nothing was thrown", key);
}

Value sum_of(Key key, int depth) {
  long count = 1 + key.pick(most_children, 1);
  return tbb::parallel_reduce(
      tbb::blocked_range<long>(0, count, 1), Value{0},
      [&](const tbb::blocked_range<long>& range, Value sum) {
        for (long i = range.begin(); i != range.end(); ++i) sum += node(key.child(i), depth - 1);
        return sum;
      },
      [](Value a, Value b) { return a + b; });
}

Value invoked(Key key, int depth) {
  Value a = 0, b = 0, c = 0;
  tbb::parallel_invoke([&] { a = node(key.child(0), depth - 1); }, [&] { b = node(key.child(1), depth - 1); },
                       [&] { c = common(key.child(2)); });
  return mix(a) + mix(b + 1) + c;
}

Value pipelined(Key key) {
  int next = 0;
  Value in_order = 0;
  std::atomic<Value> any_order{0};
  int count = 4 + key.pick(6, 1);
  tbb::parallel_pipeline(
      3, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                     [&](tbb::flow_control& control) {
                                       if (next == count) return control.stop(), 0;
                                       append(key.child(next));
                                       return next++;
                                     }) &
             tbb::make_filter<int, Value>(tbb::filter_mode::parallel, [&](int i) { return leaf(key.child(i)) + i; }) &
             tbb::make_filter<Value, Value>(tbb::filter_mode::serial_out_of_order,
                                            [&](Value v) {
                                              any_order += mix(v);
                                              timer(key);
                                              return v;
                                            }) &
             tbb::make_filter<Value, void>(tbb::filter_mode::serial_in_order,
                                           [&](Value v) { in_order = mix(in_order + v + leaf(key.child(77))); }));
  return in_order + any_order;
}

Value in_an_arena(Key key, int depth) {
  tbb::task_arena arena(1 + key.pick(3, 1));
  return arena.execute([&] { return node(key, depth - 1); });
}

Value isolated(Key key, int depth) {
  return tbb::this_task_arena::isolate([&] { return for_loop(key, depth); });
}

// The program's own suspended tasks beside ours.
Value resumed_by_a_thread(Key key) {
  std::atomic<tbb::task::suspend_point> where{nullptr};
  std::thread resumer([&] {
    while (!where) usleep(20);
    tbb::task::resume(where);
  });
  Value before = leaf(key.child(0));
  tbb::task::suspend([&](tbb::task::suspend_point point) { where = point; });
  resumer.join();
  return before + leaf(key.child(1));
}

// A container that keeps a value a thread. (It asks which thread this is, and so nobody suspends a program that has one.)
Value per_thread(Key key) {
#ifdef BOUND
  tbb::enumerable_thread_specific<Value> sums;
  tbb::parallel_for(0, 6, [&](int i) {
    Value value = leaf(key.child(i));
    Value& own = sums.local();
    own += value;
    Value then = own;
    value = leaf(key.child(10 + i));
    check(own == then, "a thread's own value after a call", key);
    own += value;
  });
  return sums.combine([](Value a, Value b) { return a + b; });
#else
  return common(key);
#endif
}

Value fed(Key key) {
  std::atomic<Value> all{0};
  int first[] = {0, 1, 2};
  tbb::parallel_for_each(first, first + 3, [&](int i, tbb::feeder<int>& more) {
    all += leaf(key.child(i)) + i;
    if (i < 6) more.add(i + 3);
  });
  return all;
}

Value queued(Key key) {
  tbb::concurrent_queue<Value> queue;
  tbb::parallel_for(0, 4, [&](int i) { queue.push(leaf(key.child(i))); });
  Value all = 0;
  for (Value v = 0; queue.try_pop(v);) all += v;
  return all;
}

// Two ways into one queue: from a thread outside that waits for room, and from one that waits for nobody.
Value handed_over(Key key) {
  tbb::concurrent_bounded_queue<Value> queue;
  bool narrow = key.pick(2, 1);
  int count = 2 + key.pick(5, 2);
  if (narrow) queue.set_capacity(2);
  std::thread outside;
  if (narrow)
    outside = std::thread([&] {
      for (int i = 0; i < count; ++i) queue.push(leaf(key.child(i)));
    });
  else
    for (int i = 0; i < count; ++i) feeder->call_later([&queue, i] { queue.push(i); }, key.pick(100, 3));
  Value all = 0;
  for (int i = 0; i < count; ++i) {
    Value one;
    queue.pop(one);
    all += mix(one) + leaf(key.child(20 + i));
  }
  if (narrow) outside.join();
  return all;
}

Value flowing(Key key) {
  namespace flow = tbb::flow;
  constexpr int count = 5;
  Value values[count] = {}, in_order = 0;
  flow::graph graph;
  flow::function_node<int, int> in(graph, key.pick(2, 1) ? flow::unlimited : 2, [&](int i) {
    values[i] = leaf(key.child(i));
    return i;
  });
  flow::sequencer_node<int> sorted(graph, [](int i) { return static_cast<std::size_t>(i); });
  flow::function_node<int, flow::continue_msg> out(graph, flow::serial, [&](int i) {
    in_order = mix(in_order + values[i] + common(key.child(50 + i)));
    return flow::continue_msg();
  });
  flow::make_edge(in, sorted);
  flow::make_edge(sorted, out);
  for (int i = 0; i < count; ++i) in.try_put(i);
  if (key.pick(2, 2)) world.sum += leaf(key.child(90));
  graph.wait_for_all();
  return in_order;
}

Value scanned(Key key) {
  Children c(key);
  Value all = tbb::parallel_scan(
      tbb::blocked_range<int>(0, c.count, 1), Value{0},
      [&](const tbb::blocked_range<int>& range, Value sum, bool last) {
        for (int i = range.begin(); i != range.end(); ++i) {
          sum += read_at(key.child(i)) + timer(key.child(i));  // perhaps twice
          if (last) c.values[i] = sum;
        }
        return sum;
      },
      [](Value a, Value b) { return a + b; });
  return c.fold() + all;
}

// One does it, and those who come meanwhile help.
Value made_together(Key key, int depth) {
  tbb::collaborative_once_flag flag;
  Value made = 0, values[4] = {};
  tbb::parallel_for(0, 4, [&](int i) {
    tbb::collaborative_call_once(flag, [&] { made = for_loop(key.child(60), depth); });
    values[i] = mix(made) + leaf(key.child(i));
  });
  return values[0] + values[1] + values[2] + values[3];
}

Value enqueued(Key key, int depth) {
  tbb::task_arena arena(2, key.pick(2, 3), key.pick(3, 4) ? tbb::task_arena::priority::normal : tbb::task_arena::priority::low);
  tbb::task_group tasks;
  Children c(key);
  for (int i = 0; i < c.count; ++i) arena.enqueue(tasks.defer([&c, key, i, depth] { c.values[i] = node(key.child(i), depth - 1); }));
  Value own = key.pick(2, 5) ? common(key.child(40)) : 0;
  arena.execute([&] { tasks.wait(); });
  return c.fold() + own;
}

// Which of them ran is chance, so they give nothing.
Value called_off(Key key) {
  tbb::task_group tasks;
  for (int i = 0; i < 5; ++i)
    tasks.run([&tasks, key, i] {
      timer(key.child(i));
      if (i == 2) tasks.cancel();
      read_at(key.child(i));
    });
  Value own = leaf(key.child(30));
  check(tasks.wait() == tbb::task_group_status::canceled, "a group called off", key);
  return own;
}

Value by_a_thread_of_its_own(Key key, int depth) {
  Value value = 0;
  std::thread other([&] { value = for_loop(key.child(1), depth - 1); });
  Value own = leaf(key.child(2));
  other.join();
  return value + own;
}

// Locks that are inlined, and that only a program's imports give away.
Value spun(Key key) {
#ifdef BOUND
  static tbb::spin_mutex spin;
  static tbb::queuing_mutex queuing;
  static tbb::rw_mutex sleeping;
  static tbb::spin_rw_mutex spinning;
  static tbb::queuing_rw_mutex waiting;
  Value value = 0;
  tbb::parallel_for(0, 4, [&](int i) {
    tbb::spin_mutex::scoped_lock lock(spin);
    Value now = leaf(key);
    lock.release();
    switch (key.pick(4, 1)) {
      case 0: {
        tbb::rw_mutex::scoped_lock read(sleeping, false);
        now += leaf(key.child(i));
        break;
      }
      case 1: {
        tbb::spin_rw_mutex::scoped_lock read(spinning, false);
        now += leaf(key.child(i));
        break;
      }
      case 2: {
        tbb::queuing_rw_mutex::scoped_lock read(waiting, false);
        now += leaf(key.child(i));
        break;
      }
      default: now += leaf(key.child(i));
    }
    tbb::queuing_mutex::scoped_lock other(queuing);
    value += now + guarded_by(3, key);
  });
  return value;
#else
  return common(key);
#endif
}

// What a map holds, locked while calls are made.
Value mapped(Key key) {
#ifdef BOUND
  tbb::concurrent_hash_map<int, Value> map;
  tbb::parallel_for(0, 5, [&](int i) {
    tbb::concurrent_hash_map<int, Value>::accessor place;
    map.insert(place, i % 2);
    Value before = place->second, more = leaf(key.child(i));
    check(place->second == before, "what an accessor guards", key);
    place->second = before + more;
  });
  Value all = 0;
  for (auto& [which, sum] : map) all += mix(sum + which);
  return all;
#else
  return common(key);
#endif
}

Value node(Key key, int depth) {
  if (depth <= 0) return common(key);
  switch (key.pick(32, 9)) {
    case 0: case 1: return for_loop(key, depth);
    case 2: case 3: return group(key, depth);
    case 4: return sum_of(key, depth);
    case 5: return invoked(key, depth);
    case 6: return pipelined(key);
    case 7: return in_an_arena(key, depth);
    case 8: return isolated(key, depth);
    case 9: return resumed_by_a_thread(key);
    case 10: return per_thread(key);
    case 11: return fed(key);
    case 12: return queued(key);
    case 13: return spun(key);
    case 14: return mapped(key);
    case 15: return handed_over(key);
    case 16: return flowing(key);
    case 17: return scanned(key);
    case 18: return made_together(key, depth - 1);
    case 19: return enqueued(key, depth);
    case 20: return called_off(key);
    case 21: return by_a_thread_of_its_own(key, depth);
    case 22: return common(key);
    case 23: case 24: return graphs::graph(key);
    case 25: return graphs::pipeline(key, depth);
    case 26: case 27: case 28: case 29: return arenas::arena(key);
    default: return common(key) + common(key.child(30));
  }
}

}  // namespace

Value program(Key seed) {
  Value value = 0;
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2 + seed.pick(3, 92));
  int parts = 1 + seed.pick(2, 90);
  for (int i = 0; i < parts; ++i) {
    Key key = seed.child(1000 + i);
    value = mix(value + (key.pick(2, 91) ? for_loop(key, 2) : group(key, 2)));
    if (key.pick(4, 93) == 0) value += thrown_over(key);
  }
  return value;
}

int main(int argc, char** argv) { return run_seeds(argc, argv); }
