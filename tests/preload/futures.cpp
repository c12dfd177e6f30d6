// SPDX-License-Identifier: Apache-2.0
// std::future: values, exceptions, limits by every clock, met and not, one future and many waiters.
// must count: suspended parked
#include <chrono>
#include <cstdio>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static const char* name_of(std::future_status status) {
  return status == std::future_status::ready ? "ready" : status == std::future_status::timeout ? "timeout" : "deferred";
}

static void values() {
  std::promise<int> promise;
  auto future = promise.get_future();
  std::thread late([&] {
    std::this_thread::sleep_for(20ms);
    promise.set_value(42);
  });
  std::printf("value %d\n", future.get());
  late.join();
  std::promise<int> bad;
  auto failing = bad.get_future();
  std::thread thrower([&] {
    std::this_thread::sleep_for(20ms);
    bad.set_exception(std::make_exception_ptr(std::runtime_error("no luck")));
  });
  try {
    failing.get();
  } catch (const std::runtime_error& error) {
    std::printf("exception %s\n", error.what());
  }
  thrower.join();
}

static void limits() {
  std::promise<void> promise;
  auto future = promise.get_future();
  std::printf("wait_for 0: %s\n", name_of(future.wait_for(0s)));
  std::printf("wait_for less than 0: %s\n", name_of(future.wait_for(-5s)));
  auto began = std::chrono::steady_clock::now();
  std::printf("wait_for 30 ms: %s", name_of(future.wait_for(30ms)));
  std::printf(", too early: %d\n", std::chrono::steady_clock::now() - began < 30ms);
  std::printf("wait_until, by the system's clock: %s\n", name_of(future.wait_until(std::chrono::system_clock::now() + 10ms)));
  std::printf("wait_until long ago: %s\n", name_of(future.wait_until(std::chrono::system_clock::time_point(-7s))));
  std::printf("wait_until, steady: %s\n", name_of(future.wait_until(std::chrono::steady_clock::now() + 10ms)));
  std::thread late([&] {
    std::this_thread::sleep_for(20ms);
    promise.set_value();
  });
  std::printf("wait_for long: %s\n", name_of(future.wait_for(30s)));
  late.join();
  std::promise<void> other;
  auto by_system = other.get_future();
  std::thread later([&] {
    std::this_thread::sleep_for(20ms);
    other.set_value();
  });
  std::printf("wait_until far away: %s\n", name_of(by_system.wait_until(std::chrono::system_clock::time_point::max())));
  later.join();
}

static void many() {
  std::promise<int> promise;
  std::shared_future<int> shared = promise.get_future().share();
  std::vector<std::thread> waiters;
  std::vector<int> got(20);
  for (int i = 0; i < 20; ++i) waiters.emplace_back([&, i] { got[i] = shared.get() + i; });
  std::this_thread::sleep_for(30ms);
  promise.set_value(100);
  int sum = 0;
  for (int i = 0; i < 20; ++i) waiters[i].join(), sum += got[i];
  std::printf("many: %d\n", sum);
}

int main() {
  values();
  limits();
  many();
  auto task = std::async(std::launch::async, [] {
    std::this_thread::sleep_for(20ms);
    return 5;
  });
  std::printf("async %s", name_of(task.wait_for(20s)));
  std::printf(" %d\n", task.get());
  std::printf("deferred %s\n", name_of(std::async(std::launch::deferred, [] {}).wait_for(1s)));
}
