// SPDX-License-Identifier: Apache-2.0
// Tasks enqueued into an arena of one slot: libtbb has a worker come for them, and says that the arena has two slots then. Under
// auto they keep their order, as bare. Where they are set aside all the same, a worker comes back for those that are ready.
// auto: suspended == 0 and parked >= 250
// suspend: suspended >= 250
// park: suspended == 0 and parked >= 250
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "case.h"

namespace {

constexpr int tasks = 30;

// Main is in no arena, so nobody but a worker may run what is enqueued.
void until_none(const std::atomic<int>& left) {
  while (left) usleep(300);
}

template <typename Task>
void enqueue_all(tbb::task_arena& arena, Task task) {
  std::atomic<int> left{tasks};
  for (int i = 0; i < tasks; ++i)
    arena.enqueue([&] {
      task();
      --left;
    });
  until_none(left);
}

std::atomic<int> done{0};

void waits() {
  wait_us(500);
  ++done;
}

}  // namespace

int main() {
  tbb::task_arena one(1);
  enqueue_all(one, waits);
  std::printf("enqueued: %d\n", done.exchange(0));
  std::atomic<int> left{1};
  one.enqueue([&] {
    tbb::parallel_for(0, tasks, [](int) { waits(); });
    --left;
  });
  until_none(left);
  std::printf("a loop within one: %d\n", done.exchange(0));
  // Several at once: libtbb itself makes the outer task ready when its loop is over.
  enqueue_all(one, [] { tbb::parallel_for(0, 5, [](int) { waits(); }); });
  std::printf("loops within several: %d\n", done.exchange(0));
  {
    tbb::task_arena of_worker(1, 0);
    enqueue_all(of_worker, waits);
    std::printf("a worker's arena: %d\n", done.exchange(0));
  }
  // One by one: each time the worker has gone.
  for (int i = 0; i < tasks; ++i) {
    left = 1;
    one.enqueue([&] {
      waits();
      --left;
    });
    until_none(left);
  }
  std::printf("one by one: %d\n", done.exchange(0));
}
