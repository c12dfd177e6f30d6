// SPDX-License-Identifier: Apache-2.0
// Values, references, exceptions, limits; lambdas and functions; auto.
#include <chrono>
#include <cstdio>
#include <future>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int twice(int x) { return 2 * x; }

struct Account {
  int balance = 10;
  int add(int more) { return balance += more; }
};

static std::future<std::string> greeting(std::string name) {
  return std::async(std::launch::async, [name = std::move(name)] { return "hello " + name; });
}

int main() {
  std::vector<std::future<int>> parts;
  for (int i = 0; i < 10; ++i) parts.push_back(std::async(std::launch::async, twice, i));
  int sum = 0;
  for (auto& part : parts) sum += part.get();
  std::printf("sum %d\n", sum);

  Account account;
  auto added = std::async(std::launch::async, &Account::add, &account, 5);
  std::printf("added %d\n", added.get());

  auto failing = std::async([]() -> int { throw std::runtime_error("no"); });
  try {
    failing.get();
  } catch (const std::runtime_error& error) {
    std::printf("caught %s\n", error.what());
  }

  std::promise<int&> promise;
  std::future<int&> reference = promise.get_future();
  std::thread setter([&] { promise.set_value(account.balance); });
  reference.get() += 1;
  setter.join();
  std::printf("balance %d\n", account.balance);

  std::packaged_task<int(int, int)> task([](int a, int b) { return a * b; });
  std::shared_future<int> product = task.get_future().share();
  std::thread(std::move(task), 6, 7).join();
  std::printf("product %d %d\n", product.get(), product.get());
  std::printf("%s\n", greeting("you").get().c_str());
  std::printf("ready %d\n", product.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
}
