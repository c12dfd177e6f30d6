// SPDX-License-Identifier: Apache-2.0
// What a task with a future costs. WEIR_THREADS says how many workers weir's pool has; oneTBB is given as many.
//
//   create_and_get     from a task: 1000 futures of weir::async are made, then each is got; time a future
//   fib_*              fib(n) with a future (a task_group of oneTBB) a call; time a call
#include <benchmark/benchmark.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <weir/future.hpp>

#include <future>
#include <memory>

namespace {

// The body of a benchmark as a task of the pool, so that what it makes stays with the worker that made it.
template <typename Body>
void in_task(Body body) {
  weir::async(body).get();
}

void create_and_get_weir(benchmark::State& state) {
  constexpr int count = 1000;
  in_task([&] {
    std::unique_ptr<weir::future<int>[]> made(new weir::future<int>[count]);
    for (auto _ : state) {
      for (int i = 0; i < count; ++i) made[i] = weir::async([i] { return i; });
      for (int i = count; i-- > 0;) benchmark::DoNotOptimize(made[i].get());
    }
  });
  state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK(create_and_get_weir)->UseRealTime();

void create_and_get_weir_in_order(benchmark::State& state) {
  constexpr int count = 1000;
  in_task([&] {
    std::unique_ptr<weir::future<int>[]> made(new weir::future<int>[count]);
    for (auto _ : state) {
      for (int i = 0; i < count; ++i) made[i] = weir::async([i] { return i; });
      for (int i = 0; i < count; ++i) benchmark::DoNotOptimize(made[i].get());
    }
  });
  state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK(create_and_get_weir_in_order)->UseRealTime();

void create_and_get_std(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(std::async(std::launch::async, [] { return 1; }).get());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(create_and_get_std)->UseRealTime();

long fib_weir(int n) {
  if (n < 2) return n;
  weir::future<long> first = weir::async(fib_weir, n - 1);
  long second = fib_weir(n - 2);
  return first.get() + second;
}
long fib_std(int n) {
  if (n < 2) return n;
  std::future<long> first = std::async(std::launch::async, fib_std, n - 1);
  long second = fib_std(n - 2);
  return first.get() + second;
}
long fib_tbb(int n) {
  if (n < 2) return n;
  long first;
  tbb::task_group group;
  group.run([&] { first = fib_tbb(n - 1); });
  long second = fib_tbb(n - 2);
  group.wait();
  return first + second;
}

long fib_plain(int n) { return n < 2 ? n : fib_plain(n - 1) + fib_plain(n - 2); }

template <typename Body>
void fib(benchmark::State& state, Body body) {
  int n = static_cast<int>(state.range(0));
  for (auto _ : state) {
    if (body(n) != fib_plain(n)) state.SkipWithError("wrong sum");
  }
  state.SetItemsProcessed(state.iterations() * (fib_plain(n + 1) - 1));  // the futures of one fib(n)
}

void fib_weir(benchmark::State& state) {
  in_task([&] { fib(state, [](int n) { return fib_weir(n); }); });
}
void fib_std(benchmark::State& state) {
  fib(state, [](int n) { return fib_std(n); });
}
void fib_tbb(benchmark::State& state) {
  int workers = weir_pool_size();
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers));
  tbb::task_arena(workers).execute([&] { fib(state, [](int n) { return fib_tbb(n); }); });
}
BENCHMARK(fib_weir)->Arg(14)->Arg(27)->UseRealTime();
BENCHMARK(fib_tbb)->Arg(14)->Arg(27)->UseRealTime();
BENCHMARK(fib_std)->Arg(14)->UseRealTime();  // a thread a call: more of them than the system lets live at once, soon

}  // namespace

BENCHMARK_MAIN();
