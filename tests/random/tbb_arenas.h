// SPDX-License-Identifier: Apache-2.0
// Arenas, groups, loops and waits of a random oneTBB program, as far as tbb.cpp has them not.
#pragma once

#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/combinable.h>
#include <oneapi/tbb/concurrent_priority_queue.h>
#include <oneapi/tbb/concurrent_set.h>
#include <oneapi/tbb/concurrent_unordered_map.h>
#include <oneapi/tbb/concurrent_unordered_set.h>
#include <oneapi/tbb/concurrent_vector.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <list>

#include "leaves.h"

namespace arenas {

// Sorted by what calls give.
inline Value sorted(Key key) {
  std::vector<Value> all(20 + key.pick(30, 1));
  tbb::parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) {
    all[i] = i % 5 ? mix(key.bits + i) : leaf(key.child(static_cast<long>(i)));
  });
  tbb::parallel_sort(all.begin(), all.end(), [key](Value a, Value b) {
    if ((a ^ b) % 64 == 0) usleep(20);
    return a < b;
  });
  check(std::is_sorted(all.begin(), all.end()), "a sorted vector", key);
  return hash_of(all.data(), all.size() * sizeof(Value));
}

// A body that is split and joined, with a state of its own.
struct Body {
  Key key;
  std::vector<Value> had;
  explicit Body(Key k) : key(k) {}
  Body(Body& other, tbb::split) : key(other.key) {}
  void operator()(const tbb::blocked_range<int>& range) {
    for (int i = range.begin(); i != range.end(); ++i) {
      std::size_t before = had.size();
      Value value = leaf(key.child(i));
      check(had.size() == before, "a body's own state", key);
      had.push_back(value);
    }
  }
  void join(Body& right) {
    if (key.pick(2, 5)) usleep(30);
    had.insert(had.end(), right.had.begin(), right.had.end());
  }
};
inline Value split_and_joined(Key key) {
  Body body(key);
  tbb::blocked_range<int> range(0, 3 + key.pick(12, 1), 1 + key.pick(2, 2));
  switch (key.pick(4, 3)) {
    case 0:
      tbb::parallel_reduce(range, body);
      break;
    case 1:
      tbb::parallel_deterministic_reduce(range, body);
      break;
    case 2:
      tbb::parallel_reduce(range, body, tbb::simple_partitioner());
      break;
    default: {
      tbb::affinity_partitioner own;
      tbb::parallel_reduce(range, body, own);
    }
  }
  return hash_of(body.had.data(), body.had.size() * sizeof(Value));
}

// A floating-point sum whose rounding the range alone decides.
inline Value rounded_alike(Key key) {
  double sum = tbb::parallel_deterministic_reduce(
      tbb::blocked_range<int>(0, 40, 3), 0.0,
      [&](const tbb::blocked_range<int>& range, double s) {
        for (int i = range.begin(); i != range.end(); ++i) s += 1.0 / (1 + i + key.pick(100, i));
        timer(key);
        return s;
      },
      [](double a, double b) { return a + b; });
  Value bits;
  memcpy(&bits, &sum, sizeof bits);
  return bits;
}

inline Value in_two_dimensions(Key key) {
  Value values[4][4] = {};
  tbb::parallel_for(tbb::blocked_range2d<int>(0, 4, 0, 4), [&](const tbb::blocked_range2d<int>& range) {
    for (int r = range.rows().begin(); r != range.rows().end(); ++r)
      for (int c = range.cols().begin(); c != range.cols().end(); ++c)
        values[r][c] = (r + c) % 3 ? mix(r * 4 + c) : leaf(key.child(r * 4 + c));
  });
  return hash_of(values, sizeof values);
}

// Containers that grow while calls are made.
inline Value containers(Key key) {
  tbb::concurrent_vector<Value> grown;
#ifdef BOUND  // a set asks which thread it is, for its chance
  tbb::concurrent_set<Value> set;
#else
  tbb::concurrent_unordered_set<Value> set;
#endif
  tbb::concurrent_priority_queue<Value> first;
  tbb::concurrent_unordered_map<int, Value> map;
  tbb::parallel_for(0, 8, [&](int i) {
    Value value = leaf(key.child(i));
    auto place = grown.push_back(value);
    Value* kept = &*place;
    set.insert(value);
    first.push(value);
    map.emplace(i % 5, static_cast<Value>(i % 5));
    timer(key.child(20 + i));
    check(*kept == value && map.count(i % 5) == 1 && set.count(value) == 1, "what a container holds", key);
  });
  Value all = grown.size() + map.size() + set.size();
  for (Value v : grown) all += mix(v);
  Value last = 0;
  for (Value v; first.try_pop(v); last = v) check(last == 0 || v <= last, "a queue's order", key);
  return all;
}

// Arenas with slots kept for the program's threads, used by several threads, one within another.
inline Value several_threads(Key key) {
  tbb::task_arena arena(2, key.pick(3, 1));
  std::atomic<Value> all{0};
  auto use = [&](int who) {
    arena.execute([&] {
      tbb::parallel_for(
          0, 4, [&](int i) { all += leaf(key.child(10 * who + i)); }, tbb::simple_partitioner());
    });
  };
  std::thread one(use, 1), two(use, 2);
  use(3);
  one.join();
  two.join();
  return all;
}
inline Value one_in_another(Key key) {
  tbb::task_arena outer(2), inner(1 + key.pick(2, 1));
  Value values[9] = {};
  outer.execute([&] {
    tbb::parallel_for(0, 3, [&](int i) {
      values[i] = leaf(key.child(i));
      inner.execute([&] {
        tbb::parallel_for(0, 2, [&](int j) { values[3 + 2 * i + j] = common(key.child(20 + 2 * i + j)); });
      });
    });
  });
  return hash_of(values, sizeof values);
}

// While it waits within, nothing of the outer loop begins on this thread.
inline Value kept_apart(Key key) {
  std::atomic<Value> all{0};
  tbb::parallel_for(0, 6, [&](int i) {
    int state = i;
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(0, 3, [&](int j) { all += leaf(key.child(10 * i + j)); }, tbb::simple_partitioner());
    });
    check(state == i, "a state kept apart", key);
    all += state;
  });
  return all;
}

// Groups: within groups, begun from tasks, waited for by another task, with limits of time on the way.
inline Value begun_from_tasks(Key key) {
  tbb::task_group outer, inner;
  Value values[8] = {};
  for (int i = 0; i < 4; ++i)
    outer.run([&, i] {
      values[i] = leaf(key.child(i));
      inner.run([&, i] { values[4 + i] = common(key.child(10 + i)); });
    });
  outer.wait();
  inner.wait();
  return hash_of(values, sizeof values);
}
inline Value context_called_off(Key key) {
  tbb::task_group_context context(key.pick(2, 1) ? tbb::task_group_context::isolated
                                                 : tbb::task_group_context::bound);
  std::atomic<int> ran{0};
  tbb::parallel_for(
      0, 30,
      [&](int i) {
        timer(key.child(i));
        ++ran;
        if (i == 3) context.cancel_group_execution();
        nap(key.child(i));
      },
      tbb::simple_partitioner(), context);
  check(context.is_group_execution_cancelled() && ran > 0, "a context called off", key);
  return leaf(key.child(99));
}
inline Value thrown_far(Key key) {
  try {
    tbb::parallel_for(0, 4, [&](int i) {
      tbb::parallel_for(0, 3, [&](int j) {
        timer(key.child(i * 3 + j));
        if (i == 1 && j == 2) throw Thrown{key.bits};
      });
      read_at(key.child(i));
    });
  } catch (const Thrown& t) {
    leaf(key.child(50));
    check(t.value == key.bits, "what came from within", key);
    return 97;
  }
  wrong("nothing came from within", key);
}

// Suspended by the program, and resumed from another task, the feeder, or before it is suspended.
inline Value suspended_here(Key key) {
  Value all = leaf(key.child(0));
  switch (key.pick(3, 1)) {
    case 0:
      tbb::task::suspend([](tbb::task::suspend_point point) { tbb::task::resume(point); });
      break;
    case 1:
      tbb::task::suspend([&](tbb::task::suspend_point point) {
        feeder->call_later([point] { tbb::task::resume(point); }, key.pick(200, 2));
      });
      break;
    default: {
      Value values[3] = {};
      tbb::parallel_for(0, 3, [&](int i) {
        values[i] = leaf(key.child(10 + i));
        tbb::task::suspend([&](tbb::task::suspend_point point) {
          feeder->call_later([point] { tbb::task::resume(point); }, key.pick(100, 3 + i));
        });
        values[i] += leaf(key.child(20 + i));
      });
      all += values[0] + mix(values[1]) + values[2];
    }
  }
  return all + leaf(key.child(1));
}

inline Value fed_deeply(Key key) {
  std::atomic<Value> all{0};
  std::list<int> first = {0, 1};
  tbb::parallel_for_each(first.begin(), first.end(), [&](int i, tbb::feeder<int>& more) {
    Value value = leaf(key.child(i));
    all += mix(value + i);
    if (i < 8) more.add(i + 2);
    value = leaf(key.child(30 + i));
    all += value;
  });
  return all;
}

// What a thread has of its own, over calls; who comes and goes. Only in programs that say so.
inline Value of_threads(Key key) {
#ifdef BOUND
  tbb::combinable<Value> sums([] { return Value{0}; });
  tbb::enumerable_thread_specific<std::vector<Value>, tbb::cache_aligned_allocator<std::vector<Value>>,
                                  tbb::ets_key_per_instance>
      had;
  tbb::parallel_for(0, 8, [&](int i) {
    std::vector<Value>& own = had.local();
    std::size_t before = own.size();
    int slot = tbb::this_task_arena::current_thread_index();
    Value value = leaf(key.child(i));
    check(own.size() == before && slot == tbb::this_task_arena::current_thread_index(),
          "a thread's own after a call", key);
    own.push_back(value);
    sums.local() += value;
  });
  Value all = sums.combine(std::plus<Value>()), again = 0;
  for (auto& one : had)
    for (Value v : one) again += v;
  check(all == again, "two sums of the threads", key);
  return all;
#else
  return common(key);
#endif
}
inline Value observed(Key key) {
#ifdef BOUND
  struct Watches : tbb::task_scheduler_observer {
    std::atomic<int> inside{0};
    explicit Watches(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) { observe(true); }
    ~Watches() override { observe(false); }
    void on_scheduler_entry(bool) override { ++inside; }
    void on_scheduler_exit(bool) override { --inside; }
  };
  tbb::task_arena arena(2);
  Watches watches(arena);
  std::atomic<Value> all{0};
  arena.execute([&] {
    tbb::parallel_for(0, 6, [&](int i) {
      check(watches.inside > 0 && watches.inside <= 2, "who an observer has seen", key);
      all += leaf(key.child(i));
      check(tbb::this_task_arena::current_thread_index() < 2, "a slot of an arena", key);
    });
  });
  return all;
#else
  return common(key);
#endif
}

inline Value arena(Key key) {
  switch (key.pick(17, 17)) {
    case 0:
      return sorted(key);
    case 1:
      return split_and_joined(key);
    case 2:
      return rounded_alike(key);
    case 3:
      return in_two_dimensions(key);
    case 4:
      return containers(key);
    case 5:
      return several_threads(key);
    case 6:
      return one_in_another(key);
    case 7:
      return kept_apart(key);
    case 8:
      return begun_from_tasks(key);
    case 9:
      return context_called_off(key);
    case 10:
      return thrown_far(key);
    case 11:
      return suspended_here(key);
    case 12:
      return suspended_here(key.child(40));
    case 13:
      return fed_deeply(key);
    case 14:
      return of_threads(key);
    case 15:
      return observed(key);
    default:
      return common(key) + common(key.child(30));
  }
}

}  // namespace arenas
