// SPDX-License-Identifier: Apache-2.0
// Children of a task with dependences run on their threads' own stacks. Each has much on it, and waits for a child whose event comes
// later: no more of them begin on top of each other than there is room for. The same lines bare and under weir.
#include <omp.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <queue>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int children = 200, bytes_each = 100'000;

struct Later {
  std::mutex lock;
  std::queue<std::pair<Clock::time_point, omp_event_handle_t>> events;

  void add(omp_event_handle_t event) {
    std::lock_guard locked(lock);
    events.push({Clock::now() + std::chrono::milliseconds(10), event});
  }
  // False: none is due.
  bool take(omp_event_handle_t* event) {
    std::lock_guard locked(lock);
    if (events.empty() || events.front().first > Clock::now()) return false;
    *event = events.front().second;
    events.pop();
    return true;
  }
} later;

__attribute__((noinline)) void waits_for_child(long& sum, int bytes) {
  auto* much = static_cast<char*>(__builtin_alloca(static_cast<std::size_t>(bytes)));
  std::memset(much, 1, static_cast<std::size_t>(bytes));
  asm volatile("" : : "r"(much) : "memory");  // whoever reads it
  omp_event_handle_t event;
#pragma omp task detach(event)
  later.add(event);
#pragma omp taskwait
#pragma omp atomic
  sum += much[0];
}

}  // namespace

int main() {
  long sum = 0;
  int order;
  std::thread fulfills([] {
    for (int left = children; left;) {
      omp_event_handle_t event;
      if (!later.take(&event)) usleep(200);
      else omp_fulfill_event(event), --left;
    }
  });
#pragma omp parallel num_threads(2) shared(sum)
#pragma omp single
  {
#pragma omp task depend(inout : order) shared(sum)
    {
      for (int i = 0; i < children; ++i) {
#pragma omp task shared(sum)
        waits_for_child(sum, bytes_each);
      }
#pragma omp taskwait
    }
  }
  fulfills.join();
  std::printf("%ld\n", sum);
}
