// SPDX-License-Identifier: Apache-2.0
// OpenMP constructs of a random program that omp.cpp has not: clauses of loops, odd dependences, settings,
// what threads have beside a loop.
#pragma once

#include <omp.h>

#include <array>
#include <vector>

#include "leaves.h"

namespace constructs {

#pragma omp declare reduction(merge:Sums : omp_out.merge(omp_in))

// One after the other in a region: each way to share a loop out, with what a thread has beside it.
inline Value shared_out(Key key) {
  constexpr int count = 9;
  Value guided[count] = {}, by_run[3][3] = {}, bins[4] = {}, last = 0, kept = 0;
  Sums sums;
  std::atomic<int> next{0};
  Value taken[count] = {}, second[count] = {};
#pragma omp parallel shared(guided, by_run, taken, second) reduction(merge : sums)
  {
    std::vector<Value> own;
#pragma omp for schedule(guided) firstprivate(kept) lastprivate(last) nowait
    for (int i = 0; i < count; ++i) {
      Value before = own.size();
      guided[i] = common(key.child(i));
      check(own.size() == before, "a vector of a thread's", key);
      own.push_back(guided[i]);
      last = guided[i] + kept;
    }
#pragma omp for collapse(2) schedule(static, 2) reduction(+ : bins[ : 4])
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        by_run[i][j] = leaf(key.child(20 + 3 * i + j));
        bins[(i + j) % 4] += by_run[i][j];
      }
    for (Value v : own) sums.add(v);
    for (int i; (i = next++) < count;) taken[i] = leaf(key.child(40 + i));
#pragma omp barrier
    // The same shares: who wrote it reads it, without a barrier.
#pragma omp for schedule(static) nowait
    for (int i = 0; i < count; ++i) second[i] = taken[i] + leaf(key.child(60 + i));
#pragma omp for schedule(static)
    for (int i = 0; i < count; ++i) second[i] = mix(second[i]);
  }
  return sums.fold() + hash_of(guided, sizeof guided) + hash_of(by_run, sizeof by_run) +
         hash_of(bins, sizeof bins) + last + hash_of(second, sizeof second);
}

// Several at a time, and objects that stand for a dependence. (Without iterators and inoutset: of gcc 12 the
// former wait for nothing, bare, and it knows not the latter.)
inline Value odd_dependences(Key key) {
  Value values[5] = {}, sum = 0, places[2] = {};
#pragma omp task shared(values) depend(out : places[0]) depend(out : places[1])
  values[0] = common(key.child(0));
  for (int i = 1; i < 4; ++i) {
#pragma omp task shared(values) firstprivate(i) depend(inout : places[0])
    values[i] = leaf(key.child(i)) + values[0];
  }
  omp_depend_t object;
#pragma omp depobj(object) depend(inout : places[1])
#pragma omp task shared(sum, values) depend(depobj : object)
  sum = leaf(key.child(7)) + values[0];
#pragma omp task shared(values, sum) depend(in : places[0], places[1])
  values[4] = mix(values[1] + values[2] + values[3] + sum) + leaf(key.child(8));
#pragma omp depobj(object) destroy
#pragma omp taskwait
  return hash_of(values, sizeof values) + sum;
}

// Groups within groups, a loop without one of its own, and reductions of both kinds through them.
inline Value many_groups(Key key) {
  Value all = 0, bits = 0, values[8] = {};
#pragma omp taskgroup task_reduction(+ : all) task_reduction(^ : bits)
  {
#pragma omp taskloop nogroup shared(values) num_tasks(3)
    for (int i = 0; i < 8; ++i) values[i] = leaf(key.child(i));
    for (int i = 0; i < 3; ++i) {
#pragma omp task in_reduction(+ : all) in_reduction(^ : bits) firstprivate(i)
      {
        Value inner = 0;
#pragma omp taskgroup task_reduction(+ : inner)
        for (int j = 0; j < 2; ++j) {
#pragma omp task in_reduction(+ : inner) firstprivate(i, j)
          inner += leaf(key.child(20 + 2 * i + j));
        }
        all += inner;
        bits ^= mix(inner);
      }
    }
  }
#pragma omp taskloop collapse(2) grainsize(2) reduction(+ : all)
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) all += leaf(key.child(40 + 3 * i + j));
  return all + mix(bits) + hash_of(values, sizeof values);
}

// What a task sets for itself stands until it ends, and is nobody else's.
inline Value own_settings(Key key) {
  int threads = omp_get_max_threads();
  Value value = 0, other = 0;
#pragma omp task shared(value) firstprivate(threads)
  {
    omp_set_num_threads(threads + 1 + key.pick(5));
    omp_set_schedule(omp_sched_guided, 3 + key.pick(4, 1));
    value = common(key.child(0));
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    check(omp_get_max_threads() == threads + 1 + key.pick(5), "a task's own number of threads", key);
    check(chunk == 3 + key.pick(4, 1) && kind == omp_sched_guided, "a task's own schedule", key);
#pragma omp task shared(value)
    {
      value += leaf(key.child(1));
      check(omp_get_max_threads() == threads + 1 + key.pick(5), "what a task inherits", key);
    }
#pragma omp taskwait
  }
#pragma omp task shared(other) firstprivate(threads)
  {
    other = common(key.child(2));
    check(omp_get_max_threads() == threads, "another task's number of threads", key);
  }
#pragma omp taskwait
  check(omp_get_max_threads() == threads, "the number of threads after tasks", key);
  return value + other;
}

// Objects that a task copies, and destroys when it is over.
struct Counted {
  static std::atomic<long>& alive() {
    static std::atomic<long> count{0};
    return count;
  }
  Value value;
  std::vector<Value> room;
  explicit Counted(Value v) : value(v), room(10, v) { ++alive(); }
  Counted(const Counted& other) : value(other.value), room(other.room) { ++alive(); }
  ~Counted() { --alive(); }
};
inline Value copied_objects(Key key) {
  Value values[4] = {};
  {
    Counted object(key.bits);
#pragma omp taskgroup
    for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(object, i) shared(values) if (i != 2)
      {
        values[i] = leaf(key.child(i));
        check(object.room[9] == object.value, "a task's own object", key);
        object.room[9] = values[i];
        values[i] += leaf(key.child(10 + i));
        check(object.room[9] != object.value, "a task's own object", key);
      }
    }
  }
  return hash_of(values, sizeof values);
}

// A chain of tasks each of which makes the next; who waits sees the last.
inline void one_more(Key key, int left, Value* value) {
#pragma omp task firstprivate(key, left, value)
  {
    *value = mix(*value + leaf(key.child(left)));
    if (left) one_more(key, left - 1, value);
  }
}
inline Value chain(Key key) {
  Value value = key.bits;
#pragma omp taskgroup
  one_more(key, 2 + key.pick(5, 1), &value);
  return value;
}

// A wheel of reads and writes: tasks hand each other what a pipe holds, by dependences, never by waits alone.
inline Value through_a_pipe(Key key) {
  int ends[2];
  check(!pipe2(ends, O_CLOEXEC), "pipe2", key);
  Value sum = 0;
  char order = 0;
  for (int i = 0; i < 4; ++i) {
#pragma omp task shared(ends) firstprivate(i) depend(inout : order)
    {
      Value v = leaf(key.child(i));
      check(write(ends[1], &v, 8) == 8, "into a pipe", key);
    }
#pragma omp task shared(ends, sum) depend(inout : order)
    {
      Value v = 0;
      check(read(ends[0], &v, 8) == 8, "out of a pipe", key);
      sum = mix(sum + v);
    }
  }
#pragma omp taskwait
  close(ends[0]);
  close(ends[1]);
  return sum;
}

// Thrown and caught within a task, over its children; and jumps that stay in it.
inline Value thrown_within(Key key) {
  Value value = 0;
#pragma omp task shared(value)
  {
    Value child = 0;
    try {
#pragma omp task shared(child)
      child = common(key.child(0));
      value = leaf(key.child(1));
#pragma omp taskwait
      if (key.pick(3, 1)) throw Thrown{child};
      value += child;
    } catch (const Thrown& t) {
#pragma omp task shared(value) firstprivate(t)
      value += mix(t.value) + leaf(key.child(2));
#pragma omp taskwait
      check(t.value == child, "what is thrown over a wait", key);
    }
  }
#pragma omp taskwait
  return value;
}

inline Value any_construct(Key key) {
  switch (key.pick(8, 21)) {
    case 0:
      return odd_dependences(key);
    case 1:
      return many_groups(key);
    case 2:
      return own_settings(key);
    case 3:
      return copied_objects(key);
    case 4:
      return chain(key);
    case 5:
      return through_a_pipe(key);
    case 6:
      return thrown_within(key);
    default:
      return common(key);
  }
}

}  // namespace constructs
