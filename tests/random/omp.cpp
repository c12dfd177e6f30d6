// SPDX-License-Identifier: Apache-2.0
// Random OpenMP programs: regions, loops, tasks and what joins them, nested by chance.
#include <omp.h>

#include "constructs.h"
#include "leaves.h"

namespace {

Value node(Key key, int depth);
Value reduced(Key key, int depth);

constexpr int most_children = 4;
const bool with_device = std::getenv("RANDOM_DEVICE") != nullptr;

struct Children {
  Value values[most_children] = {};
  long count;
  explicit Children(Key key) : count(1 + key.pick(most_children, 1)) {}
  Value fold() const {
    Value all = 0;
    for (int i = 0; i < count; ++i) all = mix(all + values[i]);
    return all;
  }
};

Value waited_for(Key key, int depth) {
  Children c(key);
  for (long i = 0; i < c.count; ++i) {
    Key k = key.child(i);
    bool now = k.pick(8, 2) == 0;
    switch (k.pick(4, 3)) {
      case 0:
        // Without locked(): who holds the lock and waits for its children may begin any untied task meanwhile, and one that
        // wants the lock would never get it, weir or not.
#pragma omp task shared(c) firstprivate(i, k) untied
        c.values[i] = k.pick(2, 6) ? common(k) : reduced(k, depth);
        break;
      case 1:
#pragma omp task shared(c) firstprivate(i, k) mergeable if (!now)
        c.values[i] = node(k, depth - 1);
        break;
      case 2:
#pragma omp task shared(c) firstprivate(i, k) final(now) priority(k.pick(3))
        c.values[i] = node(k, depth - 1) + omp_in_final();
        break;
      default:
#pragma omp task shared(c) firstprivate(i, k)
        c.values[i] = node(k, depth - 1);
    }
    if (k.pick(4, 4) == 0) {
#pragma omp taskyield
    }
  }
  Value own = key.pick(2, 5) ? common(key.child(40)) : 0;
#pragma omp taskwait
  return c.fold() + own;
}

// Children that nobody waits for but the group.
Value grouped(Key key, int depth) {
  Children c(key);
#pragma omp taskgroup
  for (long i = 0; i < c.count; ++i) {
    Key k = key.child(i);
#pragma omp task shared(c) firstprivate(i, k)
    {
#pragma omp task shared(c) firstprivate(i, k)
      c.values[i] = node(k, depth - 1);
      world.sum += common(k.child(41));
    }
  }
  return c.fold();
}

Value chained(Key key, int depth) {
  Children c(key);
  Value link = key.bits, other = 1;
  for (long i = 0; i < c.count; ++i) {
    Key k = key.child(i);
    if (k.pick(2)) {
#pragma omp task shared(c, link) firstprivate(k) depend(inout : link)
      link = mix(link + node(k, depth - 1));
    } else if (k.pick(3, 5) == 0) {
      // In any order, and one at a time.
#pragma omp task shared(c, other) firstprivate(k, i) depend(mutexinoutset : other)
      {
        Value before = other;
        c.values[i] = leaf(k);
        check(other == before, "what a dependence keeps apart", k);
        other = before + k.bits;
      }
    } else {
#pragma omp task shared(c, link, other) firstprivate(i, k) depend(in : link) depend(inout : other)
      {
        c.values[i] = common(k) + link;
        other = mix(other + link);
      }
    }
  }
  if (key.pick(2, 6)) {
#pragma omp taskwait depend(in : link)
    world.sum += link;
  }
#pragma omp taskwait
  return c.fold() + link + other;
}

#ifdef __clang__
// Tasks for a device that is not there, and what depends on them, in a group or not.
Value on_device(Key key, int depth) {
  Children c(key);
  Value link = key.bits, given[most_children] = {};
  auto create = [&] {
    for (long i = 0; i < c.count; ++i) {
      Key k = key.child(i);
      switch (k.pick(4, 14)) {
        case 0:
#pragma omp target nowait map(tofrom : link) depend(inout : link) firstprivate(k)
          link = mix(link + common(k));
          break;
        case 1:
#pragma omp target nowait map(tofrom : given[i : 1]) firstprivate(i, k)
          given[i] = leaf(k);
          break;
        case 2:
#pragma omp task shared(c, link) firstprivate(i, k) depend(in : link)
          c.values[i] = common(k) + link;
          break;
        default:
#pragma omp task shared(c) firstprivate(i, k)
          c.values[i] = node(k, depth - 1);
      }
    }
  };
  if (key.pick(2, 15)) {
    create();
#pragma omp taskwait
  } else {
#pragma omp taskgroup
    create();
  }
  for (Value g : given) link += g;
  return c.fold() + link;
}
#endif

Value looped(Key key, int depth) {
  Children c(key);
  Value all = 0;
  switch (key.pick(3, 2)) {
    case 0:
#pragma omp taskloop shared(c) grainsize(1)
      for (long i = 0; i < c.count; ++i) c.values[i] = node(key.child(i), depth - 1);
      break;
    case 1:
#pragma omp taskloop shared(c) num_tasks(2) untied
      for (long i = 0; i < c.count; ++i) c.values[i] = node(key.child(i), depth - 1);
      break;
    default:
#pragma omp taskloop reduction(+ : all) grainsize(1)
      for (long i = 0; i < c.count; ++i) all += common(key.child(i));
  }
  return c.fold() + all;
}

Value reduced(Key key, int depth) {
  Value all = 0;
  Children c(key);
#pragma omp taskgroup task_reduction(+ : all)
  for (long i = 0; i < c.count; ++i) {
    Key k = key.child(i);
#pragma omp task in_reduction(+ : all) firstprivate(k)
    all += depth > 1 ? leaf(k) : common(k);
  }
  return all;
}

Value nested(Key key, int depth) {
  Children c(key);
  int threads = 1 + key.pick(3, 2);
#pragma omp parallel num_threads(threads) shared(c)
  {
    if (key.pick(2, 3)) {
#pragma omp for schedule(dynamic, 1)
      for (long i = 0; i < c.count; ++i) c.values[i] = common(key.child(i));
    } else {
#pragma omp single
      for (long i = 0; i < c.count; ++i) {
#pragma omp task shared(c) firstprivate(i)
        c.values[i] = node(key.child(i), depth - 1);
      }
    }
  }
  return c.fold();
}

// Tasks that end when an event says so, that they fulfil themselves, or by a task of theirs. (From outside the team libomp queues
// what is left to do, and a thread that waits with a lock held gets no further in its queue than to that, bare.)
Value detached(Key key) {
  Children c(key);
#pragma omp taskgroup
  for (long i = 0; i < c.count; ++i) {
    Key k = key.child(i);
    omp_event_handle_t event;
#pragma omp task shared(c) firstprivate(i, k) detach(event)
    {
      c.values[i] = leaf(k);
      if (k.pick(2, 1)) {
        omp_fulfill_event(event);
      } else {
#pragma omp task shared(c) firstprivate(i, k, event)
        {
          c.values[i] += leaf(k.child(3));
          omp_fulfill_event(event);
        }
      }
    }
  }
  return c.fold();
}

// A lock held over a call, and over a wait for children that want none.
Value locked(Key key) {
  static omp_lock_t lock = [] {
    omp_lock_t l;
    omp_init_lock(&l);
    return l;
  }();
  static omp_nest_lock_t nest = [] {
    omp_nest_lock_t l;
    omp_init_nest_lock(&l);
    return l;
  }();
  Value value = 0;
  switch (key.pick(3, 2)) {
    case 0:
#pragma omp critical(one)
      value = guarded_by(3, key);
      break;
    case 1:
      // A tied task: while it waits, its thread begins nothing but its descendants, or bare programs would hang.
#pragma omp task shared(value)
    {
      omp_set_lock(&lock);
      Children c(key);
      for (long i = 0; i < c.count; ++i) {
#pragma omp task shared(c) firstprivate(i)
        c.values[i] = leaf(key.child(i));
      }
#pragma omp taskwait
      value = c.fold() + leaf(key);
      omp_unset_lock(&lock);
    }
#pragma omp taskwait
      break;
    default:
      omp_set_nest_lock(&nest);
      value = leaf(key);
      omp_set_nest_lock(&nest);
      value += leaf(key.child(7));
      omp_unset_nest_lock(&nest);
      value += leaf(key.child(8));
      omp_unset_nest_lock(&nest);
  }
  return value;
}

Value node(Key key, int depth) {
  if (depth <= 0) return key.pick(5, 8) == 0 ? locked(key) : common(key);
  switch (key.pick(13, 9)) {
    case 0: case 1: return waited_for(key, depth);
    case 2: return grouped(key, depth);
#ifdef __clang__
    case 3: return with_device ? on_device(key, depth) : chained(key, depth);
#else
    case 3: return chained(key, depth);
#endif
    case 4: return looped(key, depth);
    case 5: return reduced(key, depth);
    case 6: return key.pick(4, 10) ? common(key) : nested(key, depth);
    case 7: return locked(key);
    case 8: return detached(key);
    case 9: case 10: return constructs::any_construct(key);
    default: return common(key) + common(key.child(30));
  }
}

Value tasks(Key key) {
  Value value = 0;
  // (docs/hazards.md: a task for a device in a team of one, in the suspend lane.)
  int threads = with_device ? 2 + key.pick(3, 11) : 1 + key.pick(4, 11);
#pragma omp parallel num_threads(threads) shared(value)
  {
#pragma omp single
    value = waited_for(key, 1 + (key.pick(6, 12) == 0)) + omp_get_num_threads();
    if (key.pick(3, 13) == 0) world.sum += omp_get_level();
  }
  // The second depends on how many there are, which the program asked for.
  return value + mix(threads);
}

Value loops(Key key) {
  constexpr int count = 8;
  Value by_index[count] = {}, all = 0, in_order = 0, across = 0;
#pragma omp parallel shared(by_index, in_order, across)
  {
#pragma omp for schedule(dynamic, 2) nowait
    for (int i = 0; i < count; ++i) by_index[i] = common(key.child(i));
#pragma omp for schedule(static) reduction(+ : all)
    for (int i = 0; i < count; ++i) all += bound_leaf(key.child(100 + i));
#pragma omp for ordered schedule(dynamic, 1)
    for (int i = 0; i < 6; ++i) {
      Value value = leaf(key.child(200 + i));
#pragma omp ordered
      in_order = mix(in_order + value + leaf(key.child(300 + i)));
    }
#pragma omp for ordered(1) schedule(dynamic, 1)
    for (int i = 0; i < 5; ++i) {
      Value value = leaf(key.child(500 + i));
#pragma omp ordered depend(sink : i - 1)
      across = mix(across + value + leaf(key.child(600 + i)));
#pragma omp ordered depend(source)
      world.sum += common(key.child(700 + i));
    }
#pragma omp sections nowait
    {
#pragma omp section
      world.sum += locked(key.child(400));
#pragma omp section
      world.sum += common(key.child(401));
    }
#pragma omp barrier
    Value told = 0;
#pragma omp single copyprivate(told)
    told = common(key.child(402));
    if (key.pick(2, 1)) world.sum += mix(told);
  }
  for (Value v : by_index) all = mix(all + v);
  return all + in_order + across;
}

// Tasks that every thread of the team creates, and nobody waits for but the end.
Value scattered(Key key) {
  constexpr int count = 12;
  Value by_index[count] = {};
#pragma omp parallel num_threads(3) shared(by_index)
  {
#pragma omp for nowait
    for (int i = 0; i < count; ++i) {
#pragma omp task shared(by_index) firstprivate(i)
      by_index[i] = node(key.child(i), 1);
    }
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < count; ++i) by_index[i] = mix(by_index[i] + 1);
  }
  Value all = 0;
  for (Value v : by_index) all = mix(all + v);
  return all;
}

}  // namespace

Value program(Key seed) {
  Value value = 0;
  int parts = 1 + seed.pick(2, 90);
  for (int i = 0; i < parts; ++i) {
    Key key = seed.child(1000 + i);
    switch (key.pick(6, 91)) {
      case 0: value = mix(value + loops(key)); break;
      case 1: value = mix(value + scattered(key)); break;
      case 2: value = mix(value + constructs::shared_out(key)); break;
      default: value = mix(value + tasks(key));
    }
  }
  return value;
}

int main(int argc, char** argv) {
  omp_set_max_active_levels(3);
  return run_seeds(argc, argv);
}
