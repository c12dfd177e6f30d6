// SPDX-License-Identifier: Apache-2.0
// What goes wrong with futures: each comes to who asks, and nothing stays behind.
#include <gtest/gtest.h>
#include <malloc.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <thread>

#include "weir/future.hpp"
#include "weir/weir.h"

#ifdef __SANITIZE_THREAD__
// libstdc++ counts an exception's holders by atomics that ThreadSanitizer does not see: that the last one frees it after
// another has read it looks like a race.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() { return "race:std::__exception_ptr::exception_ptr::_M_release\n"; }
#endif

namespace {

using namespace std::chrono_literals;

// A connection over loopback, and a port at which nobody listens any more.
struct Tcp {
  int ends[2];
  sockaddr_in nobody{};
  Tcp() {
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    nobody.sin_family = AF_INET;
    nobody.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof nobody;
    if (bind(listener, address(), bytes) || listen(listener, 1) || getsockname(listener, address(), &bytes)) abort();
    ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(ends[0], address(), bytes)) abort();
    ends[1] = accept(listener, nullptr, nullptr);
    close(listener);
  }
  ~Tcp() { close(ends[0]), close(ends[1]); }
  sockaddr* address() { return reinterpret_cast<sockaddr*>(&nobody); }
};

// Soon: a sleep whose continuation nobody waits for any more ends by itself.
void nothing_in_flight() {
  weir_statistics s{};
  s.size = sizeof s;
  for (int i = 0; i < 2000 && (weir_statistics_get(&s), s.in_flight); ++i) weir_sleep(5'000'000);
  EXPECT_EQ(s.in_flight, 0);
}

TEST(IoErrorTest, refused_reset_and_end) {
  Tcp tcp;
  int fresh = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(weir::async_connect(fresh, tcp.address(), sizeof tcp.nobody).get().error(), ECONNREFUSED);
  close(fresh);
  char byte;
  auto waiting = weir::async_recv(tcp.ends[0], &byte, 1);
  linger now{1, 0};
  setsockopt(tcp.ends[1], SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close(tcp.ends[1]);
  EXPECT_EQ(waiting.get().error(), ECONNRESET);
  tcp.ends[1] = dup(tcp.ends[0]);
  Tcp other;
  auto last = weir::async_recv(other.ends[0], &byte, 1);
  shutdown(other.ends[1], SHUT_WR);
  weir::io_result end = last.get();
  EXPECT_TRUE(end.ok());
  EXPECT_EQ(end.value, 0);
  nothing_in_flight();
}

TEST(ThenErrorTest, an_exception_in_a_continuation_is_its_future_s) {
  auto thrown = weir::async([] { return 1; }).then([](weir::future<int>) -> int { throw std::runtime_error("no"); });
  EXPECT_THROW(thrown.get(), std::runtime_error);
  auto io = weir::async_sleep(1ms).then([](weir::io_result) -> int { throw 7; });
  EXPECT_THROW(io.get(), int);
  // Passed on by who does not catch it, and met by who does.
  auto chain = weir::async([]() -> int { throw 1; })
                   .then([](weir::future<int> f) { return f.get() + 1; })
                   .then([](weir::future<int> f) { return f.get() + 1; });
  EXPECT_THROW(chain.get(), int);
  // Nobody asks: it is dropped with its future.
  { auto dropped = weir::async_sleep(1ms).then([](weir::io_result) -> int { throw std::runtime_error("unseen"); }); }
  weir_sleep(20'000'000);
  nothing_in_flight();
}

TEST(ThenErrorTest, a_promise_that_was_broken_is_followed_too) {
  weir::future<int> after;
  {
    weir::promise<int> promise;
    after = promise.get_future().then([](weir::future<int> f) { return f.get(); });
  }
  EXPECT_THROW(after.get(), weir::future_error);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Counted by the heap itself. What is not there: a stack.
TEST(ThenMemoryTest, a_hundred_thousand_sleeps_take_less_than_a_KiB_each) {
  constexpr std::size_t count = 100'000;
  auto allocated = [] {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  std::vector<weir::future<int>> many;
  many.reserve(count);
  weir::async([] {}).get();
  weir::async_sleep(1ms).get();
  std::size_t before = allocated();
  for (std::size_t i = 0; i < count; ++i)
    many.push_back(weir::async_sleep(3s).then([](weir::io_result r) { return r.ok() ? 1 : 0; }));
  EXPECT_LE((allocated() - before) / count, 1024u);
  int right = 0;
  for (auto& one : many) right += one.get();
  EXPECT_EQ(right, static_cast<int>(count));
}
#endif

// As std's: a value that can't be copied in leaves the promise as it was.
TEST(PromiseTest, a_value_whose_copy_throws_is_not_set) {
  struct Stubborn {
    bool throws;
    explicit Stubborn(bool t) : throws(t) {}
    Stubborn(const Stubborn& other) : throws(other.throws) { if (throws) throw 7; }
  };
  weir::promise<Stubborn> promise;
  auto future = promise.get_future();
  Stubborn bad(true), good(false);
  EXPECT_THROW(promise.set_value(bad), int);
  EXPECT_EQ(future.wait_for(0ms), std::future_status::timeout);
  promise.set_value(good);
  EXPECT_FALSE(future.get().throws);
}

// ---- everything at once, at random; FUTURE_STRESS_ROUNDS for long ---------------------------------------------------

long rounds() {
  const char* value = std::getenv("FUTURE_STRESS_ROUNDS");
  return value ? std::atol(value) : 3000;
}

weir::future<long> wait_twice(long n) {
  co_await weir::async_sleep(std::chrono::microseconds(n % 300));
  co_return co_await weir::async([n] { return n; });
}

// One of many ways to come to n, and to leave something behind that must not stay.
long come_to(long n, std::mt19937& random, int fd) {
  char nowhere[64];
  auto us = [&](unsigned most) { return std::chrono::microseconds(random() % most); };
  switch (random() % 9) {
    case 0: return weir::async([n] { return n; }).get();
    case 1: return weir::async_sleep(us(500)).then([n](weir::io_result r) { return r.ok() ? n : -1; }).get();
    case 2: return wait_twice(n).get();
    case 3: {
      auto sleeping = weir::async_sleep(us(3000));
      if (random() % 2) sleeping.cancel();
      weir::io_result r = sleeping.get_within(us(1000));
      return r.ok() || r.error() == ECANCELED || r.error() == ETIMEDOUT ? n : -1;
    }
    case 4: {
      auto dropped = weir::async_recv(fd, nowhere, sizeof nowhere);
      return n;
    }
    case 5: {
      auto thrown = weir::async([n]() -> long { throw n; }).then([](weir::future<long> f) { return f.get(); });
      try {
        return thrown.get(), -1;
      } catch (long caught) {
        return caught;
      }
    }
    case 6: {
      std::vector<weir::future<long>> parts;
      for (long i = 0; i < 5; ++i) parts.push_back(weir::async([i, n] { return i ? 0 : n; }));
      long sum = 0;
      for (auto& part : weir::when_all(std::move(parts)).get()) sum += part.get();
      return sum;
    }
    case 7: {
      std::vector<weir::future<long>> race;
      for (long i = 0; i < 3; ++i)
        race.push_back(weir::async_sleep(us(400)).then([n](weir::io_result) { return n; }));
      auto first = weir::when_any(std::move(race)).get();
      return first.futures[first.index].get();
    }
    default: {
      weir::promise<long> promise;
      auto future = promise.get_future();
      auto setter = weir::async([&promise, n] { promise.set_value(n); });
      future.wait_for(us(200));
      setter.get();
      return future.get();
    }
  }
}

// Its parent's operations are over for it; the parent waits on.
TEST(ForkTest, operations_of_the_parent_s_are_over_in_a_child) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  char bytes[6] = {};
  weir::io_future one = weir::async_recv(ends[0], bytes, 1), two = weir::async_sleep(2s), three = weir::async_sleep(100s);
  weir_operation *here, *asked, *limited, *cancelled;
  for (auto** operation : {&here, &asked, &limited, &cancelled}) ASSERT_EQ(weir_start_sleep(operation, 2'000'000'000), 0);
  weir::io_future early = weir::async_sleep(0ms);
  while (!early.ready()) weir_sleep(1'000'000);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    ssize_t result = 0, told = 0;
    bool right = weir_test(asked, &result) == 1 && result == -ECANCELED && weir_wait(asked) == -ECANCELED;
    weir_on_complete(here, [](void* into, ssize_t is) { *static_cast<ssize_t*>(into) = is; }, &told);
    right = right && told == -ECANCELED && weir_wait_within(limited, 1'000'000'000) == -ECANCELED;
    weir_cancel(cancelled);
    right = right && weir_wait(cancelled) == -ECANCELED && one.get().error() == ECANCELED && early.get().value == 0;
    { weir::io_future dropped = std::move(two); }
    _exit(right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(write(ends[1], "x", 1), 1);
  EXPECT_EQ(one.get().value, 1);
  for (auto* operation : {here, asked, limited, cancelled}) weir_drop(operation);
  close(ends[0]), close(ends[1]);
}

#ifndef __SANITIZE_THREAD__  // its run-time forbids threads after fork
// Workers take stacks while another thread forks: the child has a pool of its own, with none of the parent's locks.
TEST(ForkTest, a_child_has_a_pool_whatever_the_parent_s_was_doing) {
  weir::async([] {}).get();
  weir::promise<void> end;
  weir::shared_future<void> ended = end.get_future().share();
  std::vector<weir::future<void>> waiting;
  std::atomic<bool> through{false};
  std::thread other([&] {
    for (int i = 0; i < 16'000; ++i) {
      waiting.push_back(weir::async([ended] { ended.wait(); }));
      if (i % 200 == 0) std::this_thread::sleep_for(2ms);
    }
    through = true;
  });
  int hung = 0;
  while (!through && !hung) {
    pid_t child = fork();
    if (child == 0) {
      alarm(10);
      weir::async([] {}).get();
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    hung += status != 0;
  }
  EXPECT_EQ(hung, 0);
  other.join();
  end.set_value();
  for (auto& one : waiting) one.get();
}
#endif

TEST(FutureStressTest, everything_at_once) {
  Tcp tcp;
  std::vector<weir::future<long>> walkers;
  long each = rounds() / 20;
  for (int w = 0; w < 20; ++w) {
    walkers.push_back(weir::async([w, each, fd = tcp.ends[0]] {
      std::mt19937 random(static_cast<std::uint32_t>(w));
      long wrong = 0;
      for (long i = 0; i < each; ++i) wrong += come_to(i, random, fd) != i;
      return wrong;
    }));
  }
  for (auto& walker : walkers) EXPECT_EQ(walker.get(), 0);
  nothing_in_flight();
}

}  // namespace
