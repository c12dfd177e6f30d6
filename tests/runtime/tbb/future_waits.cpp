// SPDX-License-Identifier: Apache-2.0
// Tasks that wait for a std::future which another thread fulfils later: value, exception, a limit that is over first; and
// for the thread of a std::async, which is joined.
// suspend: suspended >= 20
// park: parked >= 20 and suspended == 0
// suspend WEIR_DISABLE=op_futex: parked >= 20
#include <oneapi/tbb/task_group.h>

#include <future>
#include <stdexcept>
#include <vector>

#include "case.h"

int main() {
  using namespace std::chrono_literals;
  constexpr int count = 60;
  std::vector<std::promise<int>> promises(count);
  std::vector<std::future<int>> futures;
  for (auto& promise : promises) futures.push_back(promise.get_future());
  std::promise<void> never;
  auto in_vain = never.get_future().share();
  std::atomic<int> sum{0}, thrown{0}, over{0}, joined{0};
  tbb::task_group group;
  for (int i = 0; i < count; ++i)
    group.run([&, i] {
      try {
        sum += futures[static_cast<std::size_t>(i)].get();
      } catch (const std::runtime_error&) {
        ++thrown;
      }
      if (i % 10 == 0 && in_vain.wait_for(5ms) == std::future_status::timeout) ++over;
      if (i % 10 == 1) joined += std::async(std::launch::async, [] { return wait_ms(5); }).get();
    });
  // The last first: had each wait kept its worker, and no stand-in come, nobody would wait for these.
  std::thread teller([&] {
    std::this_thread::sleep_for(50ms);
    for (int i = count; i-- > 0;) {
      std::this_thread::sleep_for(1ms);
      auto& promise = promises[static_cast<std::size_t>(i)];
      if (i % 3 == 0) promise.set_exception(std::make_exception_ptr(std::runtime_error("third")));
      else promise.set_value(i);
    }
  });
  group.wait();
  teller.join();
  std::printf("sum %d, thrown %d, over %d, joined %d\n", sum.load(), thrown.load(), over.load(), joined.load());
}
