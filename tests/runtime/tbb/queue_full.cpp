// SPDX-License-Identifier: Apache-2.0
// Hundreds of tasks wait to push into a full queue, which goes by turns, while the thread that will empty it sleeps: looking for a
// place, they are not to take turns on the cores by hundreds of thousands.
// auto: suspended > 0
// suspend: suspended > 0
#include <sys/resource.h>
#include <tbb/concurrent_queue.h>
#include <tbb/task_group.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace {

constexpr int tasks = 400, rounds = 3;
constexpr long most_switches = 120'000;

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

long switches() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_nvcsw + used.ru_nivcsw;
}

long fill_and_empty() {
  tbb::concurrent_bounded_queue<int> queue;
  queue.set_capacity(2);
  long sum = 0;
  std::thread other([&] {
    sleep_ms(1200);
    for (int i = 0, got = 0; i < tasks; ++i) {
      queue.pop(got);
      sum += got;
    }
  });
  tbb::task_group group;
  for (int i = 0; i < tasks; ++i)
    group.run([&queue, i] {
      if (i % 10 == 5) sleep_ms(100);
      queue.push(i);
    });
  group.wait();
  other.join();
  return sum;
}

}  // namespace

int main() {
  for (int round = 0; round < rounds; ++round) {
    const long before = switches(), sum = fill_and_empty(), more = switches() - before;
    if (more > most_switches) std::printf("%ld switches\n", more);
    std::printf("queue: %ld\n", sum);
  }
  return 0;
}
