// SPDX-License-Identifier: Apache-2.0
// Tasks that wait for a std::future which another thread fulfils later, and for nothing else. tasks_futures COUNT.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

int main(int, char** arguments) {
  using namespace std::chrono_literals;
  const int count = std::atoi(arguments[1]);
  std::vector<std::promise<int>> promises(static_cast<std::size_t>(count));
  std::vector<std::future<int>> futures;
  for (auto& promise : promises) futures.push_back(promise.get_future());
  std::atomic<bool> one_waits{false};
  std::thread teller([&] {
    while (!one_waits) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(30ms);
    for (int i = count; i-- > 0;) {
      auto& promise = promises[static_cast<std::size_t>(i)];
      if (i % 3 == 0) promise.set_exception(std::make_exception_ptr(std::runtime_error("third")));
      else promise.set_value(i);
      if (i % 8 == 0) std::this_thread::sleep_for(1ms);
    }
  });
  long sum = 0, thrown = 0, late = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; ++i) {
#pragma omp task shared(sum, thrown, late, one_waits) firstprivate(i)
    {
      auto& future = futures[static_cast<std::size_t>(i)];
      long value = 0, caught = 0;
      one_waits = true;
      bool timely = future.wait_for(60s) == std::future_status::ready;
      try {
        value = future.get();
      } catch (const std::runtime_error&) {
        caught = 1;
      }
#pragma omp atomic
      sum += value;
#pragma omp atomic
      thrown += caught;
#pragma omp atomic
      late += !timely;
    }
  }
  teller.join();
  std::printf("sum %ld, thrown %ld, late %ld\n", sum, thrown, late);
}
