// SPDX-License-Identifier: Apache-2.0
// An observer asks for the number of each thread that comes and goes, as those do that pin threads to processors.
// auto: parked + suspended >= 100
// park: suspended == 0 and parked >= 100
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <atomic>
#include <vector>

#include "case.h"

namespace {

class Pinning : public tbb::task_scheduler_observer {
 public:
  Pinning() : here_(static_cast<std::size_t>(tbb::this_task_arena::max_concurrency())) { observe(true); }
  ~Pinning() override { observe(false); }
  void on_scheduler_entry(bool) override { count(1); }
  void on_scheduler_exit(bool) override { count(-1); }
  int wrong() const { return wrong_; }

 private:
  void count(int by) {
    auto number = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    if (number >= here_.size()) return void(++wrong_);
    int now = here_[number] += by;
    if (by > 0 && now != 1) ++wrong_;
  }
  std::vector<std::atomic<int>> here_;
  std::atomic<int> wrong_{0};
};

}  // namespace

int main() {
  Pinning pinning;
  std::atomic<int> done{0};
  for (int round = 0; round < 3; ++round)
    tbb::parallel_for(0, 100, [&](int) {
      wait_us(300);
      ++done;
    }, tbb::simple_partitioner());
  std::printf("%d done, %d wrong\n", done.load(), pinning.wrong());
}
