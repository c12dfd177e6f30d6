// SPDX-License-Identifier: Apache-2.0
// What has to stay, and what flows to and from it; the rest goes. What stays is said with a line each, see kept/expected.
#include <pthread.h>

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <string_view>
#include <thread>
#include <vector>

thread_local int calls = 0;

static int counted(int x) { return x + ++calls; }
static int indirectly(int x) { return counted(x) + 1; }

static int consume(std::future<int> f) { return f.get(); }
static int consume_other(std::future<long> f) { return static_cast<int>(f.get()); }

// ---- tasks that wait for each other: each has to have a thread ----
static std::mutex mutex;
static std::condition_variable all_here;
static int here = 0;
static void meet() {
  std::unique_lock locked(mutex);
  if (++here == 16) all_here.notify_all();
  while (here < 16) all_here.wait(locked);
}
static unsigned meet_at_condition(unsigned i) {
  meet();
  return i;
}

template <typename T>
static T meet_at_barrier(std::barrier<>& barrier, T value) {
  barrier.arrive_and_wait();
  return value;
}

struct Gate {
  std::latch all{4};
  std::counting_semaphore<8> one{0};
  std::shared_mutex many;
  pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
  std::atomic<int> opened{0};
  std::string_view at_latch() { return all.arrive_and_wait(), "l"; }
};

static int waits() {
  unsigned sum = 0;
  std::vector<std::future<unsigned>> all;
  for (unsigned i = 0; i < 16; ++i) all.push_back(std::async(std::launch::async, meet_at_condition, i));
  for (auto& one : all) sum += one.get();

  std::barrier barrier(8);
  std::vector<std::future<unsigned short>> crowd;
  for (unsigned short i = 0; i < 8; ++i)
    crowd.push_back(std::async(std::launch::async, [&barrier, i] { return meet_at_barrier(barrier, i); }));
  for (auto& one : crowd) sum += one.get();

  Gate gate;
  std::vector<std::future<std::string_view>> at_latch;
  for (int i = 0; i < 4; ++i) at_latch.push_back(std::async(std::launch::async, &Gate::at_latch, &gate));
  for (auto& one : at_latch) sum += static_cast<unsigned>(one.get().size());

  std::future<short> waiting = std::async(std::launch::async, [&] { return gate.one.acquire(), static_cast<short>(1); });
  gate.one.release();
  std::future<unsigned char> shared = std::async(std::launch::async, [&] {
    std::shared_lock locked(gate.many);
    return static_cast<unsigned char>(2);
  });
  std::future<float> posix = std::async(std::launch::async, [&] {
    pthread_mutex_lock(&gate.plain);
    return pthread_mutex_unlock(&gate.plain), 0.5f;
  });
  std::future<long long> joins = std::async(std::launch::async, [] { return std::thread([] {}).join(), 5LL; });
  std::future<bool> asks = std::async(std::launch::async, [&] { return gate.opened.wait(0), true; });
  gate.opened = 1, gate.opened.notify_all();
  std::future<unsigned long> looks = std::async(std::launch::async, [&] { return gate.all.try_wait() ? 1UL : 2UL; });
  return static_cast<int>(sum + waiting.get() + shared.get() + posix.get() + joins.get() + asks.get() + looks.get());
}

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
  std::printf("%d %d %c %g %d %d\n", sum, bound.get(), named.get(), half.get(), other, waits());
}
