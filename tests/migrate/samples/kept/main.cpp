// SPDX-License-Identifier: Apache-2.0
// What has to stay, and what flows to and from it; the rest goes. What stays is said with a line each, see kept/expected.
#include <cstdio>
#include <future>
#include <thread>
#include <vector>

thread_local int calls = 0;

static int counted(int x) { return x + ++calls; }
static int indirectly(int x) { return counted(x) + 1; }

static int consume(std::future<int> f) { return f.get(); }
static int consume_other(std::future<long> f) { return static_cast<int>(f.get()); }

int main() {
  auto lazy = std::async(std::launch::deferred, [] { return 1; });
  std::vector<std::future<int>> mixed;
  mixed.push_back(std::move(lazy));
  mixed.push_back(std::async(std::launch::async, [] { return 2; }));
  int sum = 0;
  for (auto& f : mixed) sum += consume(std::move(f));

  std::future<short> bound = std::async(std::launch::async, [] { return static_cast<short>(indirectly(3)); });
  std::future<char> named = std::async(std::launch::async, [] { return std::this_thread::get_id() != std::thread::id() ? 'y' : 'n'; });
  std::async(std::launch::async, [] { std::puts("waited for"); });

  std::promise<double> at_exit;
  std::future<double> half = at_exit.get_future();
  std::thread([&] { at_exit.set_value_at_thread_exit(0.5); }).join();

  int other = consume_other(std::async(std::launch::async, [] { return 7L; }));
  std::printf("%d %d %c %g %d\n", sum, bound.get(), named.get(), half.get(), other);
}
