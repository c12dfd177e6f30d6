// SPDX-License-Identifier: Apache-2.0
// limited_addresses KIB WAITING: futures in a process that may map so much (ulimit -v). There are few stacks for tasks then, or
// none: whatever so many tasks wait for, the others still run.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "weir/future.hpp"
#include "weir/weir.h"

namespace {

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "limited_addresses: %s\n", what);
  _exit(1);
}

// Each waits for two more, and a stack stays taken meanwhile.
int fib(int n) {
  if (n < 2) return n;
  auto left = weir::async(fib, n - 1);
  return fib(n - 2) + left.get();
}

// All but the last wait for what only the last one does.
void last_one_sets(int waiting) {
  weir::promise<int> value;
  weir::shared_future<int> shared = value.get_future().share();
  std::vector<weir::future<int>> waiters;
  for (int i = 0; i < waiting; ++i) waiters.push_back(weir::async([shared] { return shared.get(); }));
  usleep(50'000);
  auto setter = weir::async([&value] { value.set_value(1); });
  expect(setter.wait_for(std::chrono::seconds(20)) == std::future_status::ready, "the setter never ran");
  int sum = 0;
  for (auto& waiter : waiters) sum += waiter.get();
  expect(sum == waiting, "sum");
}

}  // namespace

int main(int, char** argv) {
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = std::strtoul(argv[1], nullptr, 10) << 10;
  expect(!setrlimit(RLIMIT_AS, &limit), "setrlimit");
  const int waiting = std::atoi(argv[2]);
  alarm(60);
  expect(weir::async([] { return 42; }).get() == 42, "one");
  if (waiting) {
    expect(weir::async(fib, 12).get() == 144, "fib");
    last_one_sets(waiting);
  }
  std::vector<weir::future<long>> sleeps;
  for (int i = 0; i < 300; ++i) sleeps.push_back(weir::async([] { return static_cast<long>(weir_sleep(1'000'000)); }));
  for (auto& sleep : sleeps) expect(sleep.get() == 0, "sleep");
  if (waiting) last_one_sets(waiting);
  std::puts("all there");
}
