// SPDX-License-Identifier: Apache-2.0
// Templates within templates: names that depend on parameters, template template parameters, traits.
#include <cstdio>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

template <typename T>
using Pending = std::vector<std::pair<std::string, std::future<std::optional<T>>>>;

template <template <typename> class F, typename T>
struct Holder {
  F<T> held;
};

template <typename T>
struct is_future : std::false_type {};
template <typename T>
struct is_future<std::future<T>> : std::true_type {};

template <typename F, typename... Arguments>
auto start(F f, Arguments... arguments) -> std::future<std::invoke_result_t<F, Arguments...>> {
  return std::async(std::launch::async, f, arguments...);
}

template <typename T, typename F>
class Tree {
 public:
  explicit Tree(F f) : f_(f) {}
  T sum(T from, T to) {
    if (to - from < 4) {
      T total{};
      for (T i = from; i < to; ++i) total += f_(i);
      return total;
    }
    T middle = (from + to) / 2;
    std::future<T> left = std::async(std::launch::async, [this, from, middle] { return sum(from, middle); });
    T right = sum(middle, to);
    return left.get() + right;
  }

 private:
  F f_;
};

int main() {
  Pending<int> pending;
  for (int i = 0; i < 3; ++i) pending.emplace_back("n", start([](int x) { return std::optional<int>(x + 1); }, i));
  int sum = 0;
  for (auto& [name, future] : pending) sum += *future.get();
  Holder<std::future, long> holder{start([] { return 5L; })};
  static_assert(is_future<decltype(holder.held)>::value);
  std::map<int, std::function<std::future<int>()>> makers;
  makers[1] = [] { return start([] { return 11; }); };
  Tree<int, int (*)(int)> tree([](int x) { return x * x; });
  std::printf("%d %ld %d %d\n", sum, holder.held.get(), makers[1]().get(), tree.sum(0, 64));
}
