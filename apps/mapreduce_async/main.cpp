// SPDX-License-Identifier: Apache-2.0
// apps/mapreduce with futures: a fork-join tree whose leaves wait for a timer, then compute. Or, with --sleeps=N, so many
// sleeps of 2 s at once, each with a continuation.
#include <malloc.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <weir/future.hpp>

#include <cstdio>
#include <cstdlib>

#include "kit/arguments.h"

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

long latency_ms, number;

std::uint64_t fib(long n) { return n < 2 ? static_cast<std::uint64_t>(n) : fib(n - 1) + fib(n - 2); }

// The reply comes latency_ms after the connection is opened.
std::uint64_t ask() {
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  itimerspec when{};
  when.it_value.tv_sec = latency_ms / 1000;
  when.it_value.tv_nsec = latency_ms ? latency_ms % 1000 * 1'000'000 : 1;
  std::uint64_t fired = 0;
  if (fd < 0 || timerfd_settime(fd, 0, &when, nullptr)) std::exit(2);
  weir::io_future reply = weir::async_read(fd, &fired, sizeof fired);
  if (reply.get().value != sizeof fired) std::exit(3);
  close(fd);
  return fired;
}

std::uint64_t tree(long from, long to) {
  if (to - from == 1) return (ask() + fib(number)) * static_cast<std::uint64_t>(from + 1);
  long middle = from + (to - from) / 2;
  weir::future<std::uint64_t> left = weir::async(tree, from, middle);
  std::uint64_t right = tree(middle, to);
  return left.get() + right;
}

std::size_t allocated() {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// No stack is held by what only waits to be continued.
int sleeps(long count) {
  std::vector<weir::future<int>> many;
  many.reserve(static_cast<std::size_t>(count));
  weir::async([] {}).get();
  std::size_t before = allocated();
  auto began = Clock::now();
  for (long i = 0; i < count; ++i)
    many.push_back(weir::async_sleep(std::chrono::seconds(2)).then([](weir::io_result r) { return r.ok() ? 1 : 0; }));
  double bytes = static_cast<double>(allocated() - before) / static_cast<double>(count);
  long right = 0;
  for (auto& one : many) right += one.get();
  std::printf("bytes_each=%.0f\nchecksum=%lx seconds=%.4f items=%ld\n", bytes, static_cast<unsigned long>(right), since(began), count);
  return right == count ? 0 : 4;
}

}  // namespace

int main(int count, char** words) {
  kit::Arguments arguments(count, words, "[--leaves=5000] [--latency=0] [--fib=30] | --sleeps=N");
  long leaves = arguments.number("leaves", 5000), asleep = arguments.number("sleeps", 0);
  latency_ms = arguments.number("latency", 0);
  number = arguments.number("fib", 30);
  if (leaves < 1) arguments.fail("--leaves is at least 1");
  arguments.finish();
  if (asleep > 0) return sleeps(asleep);
  auto began = Clock::now();
  std::uint64_t sum = weir::async(tree, 0L, leaves).get();
  std::printf("checksum=%016llx seconds=%.4f items=%ld\n", static_cast<unsigned long long>(sum), since(began), leaves);
  return 0;
}
