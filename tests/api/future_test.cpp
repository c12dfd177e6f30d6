// SPDX-License-Identifier: Apache-2.0
// future.hpp from plain threads and from tasks of the pool.
#include "weir/future.hpp"

#include <gtest/gtest.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>

#include "weir/weir.h"

namespace {

using namespace std::chrono_literals;

TEST(FutureTest, carries_values_references_and_nothing) {
  EXPECT_EQ(weir::async([](int a, int b) { return a + b; }, 20, 22).get(), 42);
  int place = 0;
  int& same = weir::async([&]() -> int& { return place; }).get();
  EXPECT_EQ(&same, &place);
  weir::async([&] { place = 7; }).get();
  EXPECT_EQ(place, 7);
  EXPECT_EQ(weir::async([](std::unique_ptr<int> p) { return p; }, std::make_unique<int>(5)).get().operator*(), 5);
}

TEST(FutureTest, carries_exceptions) {
  auto future = weir::async([]() -> int { throw std::runtime_error("no"); });
  EXPECT_THROW(future.get(), std::runtime_error);
  EXPECT_FALSE(future.valid());
  EXPECT_THROW(future.get(), weir::future_error);
}

TEST(FutureTest, deferred_runs_in_get) {
  auto me = std::this_thread::get_id();
  auto future = weir::async(weir::launch::deferred, [] { return std::this_thread::get_id(); });
  EXPECT_EQ(future.wait_for(0s), weir::future_status::deferred);
  EXPECT_EQ(future.get(), me);
}

TEST(FutureTest, waits_with_a_limit) {
  weir::promise<int> promise;
  auto future = promise.get_future();
  EXPECT_EQ(future.wait_for(5ms), weir::future_status::timeout);
  EXPECT_EQ(future.wait_until(std::chrono::steady_clock::now() + 5ms), weir::future_status::timeout);
  auto waiter = weir::async([&] { return future.wait_for(20s); });
  promise.set_value(3);
  EXPECT_EQ(waiter.get(), weir::future_status::ready);
  EXPECT_EQ(future.get(), 3);
}

// What a wait left when its time was over serves the next one, whoever waits.
TEST(FutureTest, a_moment_long_past_is_no_reason_to_wait) {
  weir::promise<int> promise;
  auto later = promise.get_future();
  auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(later.wait_until(std::chrono::steady_clock::time_point::min()), weir::future_status::timeout);
  EXPECT_EQ(later.wait_until(std::chrono::system_clock::time_point::min()), weir::future_status::timeout);
  EXPECT_EQ(later.wait_for(std::chrono::hours::min()), weir::future_status::timeout);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
  promise.set_value(1);
  EXPECT_EQ(later.wait_until(std::chrono::steady_clock::time_point::min()), weir::future_status::ready);
  EXPECT_EQ(later.wait_until(std::chrono::steady_clock::time_point::max()), weir::future_status::ready);
}

TEST(FutureTest, waits_with_a_limit_take_no_memory_each) {
  weir::promise<int> never_mind;
  auto shared = never_mind.get_future().share();
  auto wait_often = [&shared](int times) {
    for (int i = 0; i < times; ++i) EXPECT_EQ(shared.wait_for(1us), std::future_status::timeout);
  };
  wait_often(100);
  std::size_t before = mallinfo2().uordblks;
  wait_often(3000);
  EXPECT_LT(mallinfo2().uordblks, before + 3000 * 20);
  std::vector<std::thread> many;
  for (int i = 0; i < 4; ++i) many.emplace_back([&] { wait_often(300); });
  for (auto& thread : many) thread.join();
  std::thread waits([&shared] { EXPECT_EQ(shared.wait_for(20s), std::future_status::ready); });
  std::this_thread::sleep_for(5ms);
  never_mind.set_value(1);
  waits.join();
  EXPECT_EQ(shared.get(), 1);
}

TEST(PromiseTest, keeps_its_rules) {
  weir::promise<int> promise;
  auto future = promise.get_future();
  EXPECT_THROW(promise.get_future(), weir::future_error);
  promise.set_value(1);
  EXPECT_THROW(promise.set_value(2), weir::future_error);
  EXPECT_THROW(promise.set_exception(nullptr), weir::future_error);
  EXPECT_EQ(future.get(), 1);
  {
    weir::promise<void> broken;
    auto never = broken.get_future();
    { weir::promise<void> gone = std::move(broken); }
    EXPECT_THROW(never.get(), weir::future_error);
  }
  int x = 0;
  weir::promise<int&> reference;
  reference.set_value(x);
  EXPECT_EQ(&reference.get_future().get(), &x);
}

TEST(SharedFutureTest, many_read_one_value) {
  weir::promise<std::string> promise;
  weir::shared_future<std::string> shared = promise.get_future().share();
  std::vector<weir::future<std::size_t>> readers;
  for (int i = 0; i < 100; ++i) readers.push_back(weir::async([shared] { return shared.get().size(); }));
  promise.set_value("hello");
  for (auto& reader : readers) EXPECT_EQ(reader.get(), 5u);
  EXPECT_EQ(shared.get(), "hello");
}

TEST(PackagedTaskTest, runs_once_and_resets) {
  weir::packaged_task<int(int)> task([](int x) { return x * 2; });
  auto future = task.get_future();
  task(21);
  EXPECT_EQ(future.get(), 42);
  EXPECT_THROW(task(1), weir::future_error);
  task.reset();
  future = task.get_future();
  std::thread([task = std::move(task)]() mutable { task(5); }).join();
  EXPECT_EQ(future.get(), 10);
}

long fib(int n) {
  if (n < 2) return n;
  auto left = weir::async(fib, n - 1);
  long right = fib(n - 2);
  return left.get() + right;
}

TEST(PoolTest, a_future_a_call) { EXPECT_EQ(weir::async(fib, 20).get(), 6765); }

TEST(PoolTest, more_tasks_than_any_queue_holds) {
  auto sum = weir::async([] {
    std::vector<weir::future<int>> many;
    for (int i = 0; i < 20'000; ++i) many.push_back(weir::async([i] { return i % 7; }));
    long total = 0;
    for (auto& f : many) total += f.get();
    return total;
  });
  long expected = 0;
  for (int i = 0; i < 20'000; ++i) expected += i % 7;
  EXPECT_EQ(sum.get(), expected);
}

// Workers fall asleep and are woken all the time: a wake that comes while one lies down must not be lost.
TEST(PoolTest, no_wake_is_lost_between_short_bursts) {
  for (int i = 0; i < 20'000; ++i) {
    auto one = weir::async([i] { return i; });
    auto two = weir::async([i] { return i + 1; });
    ASSERT_EQ(one.get() + 1, two.get());
  }
}

// Two workers, a thousand waits: done in little more than one, since nobody blocks a worker.
TEST(PoolTest, waiting_costs_no_worker) {
  auto began = std::chrono::steady_clock::now();
  std::vector<weir::future<void>> many;
  for (int i = 0; i < 1'000; ++i) many.push_back(weir::async([] { ASSERT_EQ(weir_sleep(100'000'000), 0); }));
  for (auto& f : many) f.get();
  auto took = std::chrono::steady_clock::now() - began;
  EXPECT_GE(took, 100ms);
  EXPECT_LT(took, 20s);  // one after another: 50 s and more
}

// Out of line: a task may go on on another thread, and compilers keep the address of errno within a function.
__attribute__((noinline)) void set_errno(int value) { errno = value; }
__attribute__((noinline)) int get_errno() { return errno; }

// Other tasks run on the same thread meanwhile, and set theirs.
TEST(PoolTest, a_wait_leaves_errno_alone) {
  std::vector<weir::future<int>> many;
  for (int i = 0; i < 200; ++i) {
    many.push_back(weir::async([i] {
      set_errno(1000 + i);
      weir_sleep(1'000'000);
      return get_errno() == 1000 + i ? 1 : 0;
    }));
  }
  int right = 0;
  for (auto& f : many) right += f.get();
  EXPECT_EQ(right, 200);
}

TEST(PoolTest, exceptions_of_tasks_that_waited_in_a_catch_block_stay_theirs) {
  std::vector<weir::future<int>> many;
  for (int i = 0; i < 200; ++i) {
    many.push_back(weir::async([i] {
      try {
        throw i;
      } catch (int mine) {
        weir_sleep(1'000'000 + i % 5 * 1'000'000);
        try {
          throw;
        } catch (int again) {
          return mine == i && again == i ? 1 : 0;
        }
      }
      return 0;
    }));
  }
  int right = 0;
  for (auto& f : many) right += f.get();
  EXPECT_EQ(right, 200);
}

// Its destructor takes a while.
struct Held {
  std::atomic<int>* gone;
  explicit Held(std::atomic<int>* counts) : gone(counts) {}
  Held(Held&& other) noexcept : gone(std::exchange(other.gone, nullptr)) {}
  ~Held() {
    if (!gone) return;
    std::this_thread::sleep_for(10ms);
    ++*gone;
  }
};

TEST(PoolTest, what_a_function_held_is_gone_when_its_future_is_ready) {
  std::atomic<int> gone{0};
  weir::async([held = Held(&gone)] {}).get();
  EXPECT_EQ(gone, 1);
  weir::async([](Held&&) {}, Held(&gone)).get();
  EXPECT_EQ(gone, 2);
}

struct ThrowsWhenMoved {
  int moves = 0;
  ThrowsWhenMoved() = default;
  ThrowsWhenMoved(ThrowsWhenMoved&& other) : moves(other.moves + 1) {
    if (moves > 1) throw 7;  // not on the way into the future
  }
  void operator()() {}
};

TEST(PoolTest, an_argument_that_throws_when_moved_is_an_error_of_the_future) {
  EXPECT_THROW(weir::async(ThrowsWhenMoved()).get(), int);
}

weir::future<int> holds_for_a_while(std::atomic<int>* gone, Held parameter) {
  Held local(gone);
  co_await weir::async([] { weir_sleep(1'000'000); });  // it goes on on a worker
  co_return parameter.gone ? 1 : 0;
}

weir::future<int> throws_later(std::atomic<int>* gone) {
  Held local(gone);
  co_await weir::async([] { weir_sleep(1'000'000); });
  throw 5;
}

TEST(PoolTest, what_a_coroutine_held_is_gone_when_its_future_is_ready) {
  std::atomic<int> gone{0};
  EXPECT_EQ(holds_for_a_while(&gone, Held(&gone)).get(), 1);
  EXPECT_EQ(gone, 2);
  EXPECT_THROW(throws_later(&gone).get(), int);
  EXPECT_EQ(gone, 3);
}

// Each of the two would wait for ever if it began on the stack of who asks to be told of its end.
TEST(ThenTest, who_asks_to_be_told_runs_nothing_itself) {
  int sum = weir::async([] {
    auto done = std::make_shared<weir::promise<int>>();
    auto later = weir::async([told = done->get_future()]() mutable { return told.get(); });
    auto after = std::move(later).then([](weir::future<int> f) { return f.get() + 1; });
    done->set_value(1);
    int first = after.get();
    done = std::make_shared<weir::promise<int>>();
    std::vector<weir::future<int>> both;
    for (int i = 0; i < 2; ++i) both.push_back(weir::async([told = done, i] { return i ? 1 : told->get_future().get(); }));
    auto all = weir::when_all(std::move(both));
    done->set_value(3);
    for (auto& f : all.get()) first += f.get();
    return first;
  }).get();
  EXPECT_EQ(sum, 6);
}

TEST(ThenTest, follows_and_flattens_errors) {
  auto length = weir::async([] { return std::string("four"); }).then([](weir::future<std::string> f) {
    return f.get().size();
  });
  EXPECT_EQ(length.get(), 4u);
  auto caught = weir::async([]() -> int { throw 1; }).then([](weir::future<int> f) {
    try {
      return f.get();
    } catch (int) {
      return -1;
    }
  });
  EXPECT_EQ(caught.get(), -1);
  auto lazy = weir::async(weir::launch::deferred, [] { return 2; }).then([](weir::future<int> f) { return f.get() + 1; });
  EXPECT_EQ(lazy.get(), 3);
}

TEST(WhenTest, all_and_any) {
  std::vector<weir::future<int>> some;
  for (int i = 0; i < 10; ++i) some.push_back(weir::async([i] { weir_sleep(i * 1'000'000); return i; }));
  auto all = weir::when_all(std::move(some)).get();
  int sum = 0;
  for (auto& f : all) sum += f.get();
  EXPECT_EQ(sum, 45);

  weir::promise<int> slow;
  std::vector<weir::future<int>> race;
  race.push_back(slow.get_future());
  race.push_back(weir::make_ready_future(9));
  auto first = weir::when_any(std::move(race)).get();
  EXPECT_EQ(first.index, 1u);
  EXPECT_EQ(first.futures[1].get(), 9);
  slow.set_value(1);
  EXPECT_TRUE(weir::when_all(std::vector<weir::future<int>>{}).get().empty());
}

// Each part once, whoever reads it; and none of the tasks keeps its worker waiting.
TEST(SharedOffsetTest, tasks_that_read_a_cold_file_are_set_aside) {
  const char* folder = std::getenv("WEIR_TEST_FILES");
  std::string name = std::string(folder ? folder : "/var/tmp") + "/weir-shared-XXXXXX";
  int fd = mkstemp(name.data());
  unlink(name.c_str());
  std::vector<int> written(1 << 20);
  std::iota(written.begin(), written.end(), 0);
  const ssize_t bytes = static_cast<ssize_t>(written.size() * sizeof(int));
  ASSERT_EQ(weir_write(fd, written.data(), static_cast<std::size_t>(bytes)), bytes);
  fsync(fd);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
  lseek(fd, 0, SEEK_SET);
  weir_statistics before{}, after{};
  before.size = after.size = sizeof before;
  weir_statistics_get(&before);
  std::vector<weir::future<long>> sums;
  for (int task = 0; task < 64; ++task)
    sums.push_back(weir::async([fd] {
      std::vector<int> part(1 << 12);
      long sum = 0;
      for (ssize_t got; (got = weir_read(fd, part.data(), part.size() * sizeof(int))) > 0;)
        sum += std::accumulate(part.begin(), part.begin() + got / static_cast<ssize_t>(sizeof(int)), 0L);
      return sum;
    }));
  long sum = 0;
  for (auto& f : sums) sum += f.get();
  EXPECT_EQ(sum, std::accumulate(written.begin(), written.end(), 0L));
  weir_statistics_get(&after);
  if (!std::getenv("WEIR_DISABLE")) {
    EXPECT_GT(after.suspended, before.suspended);
  }
  close(fd);
}

TEST(SharedOffsetTest, a_task_reads_whole_what_is_cached_in_part) {
  std::string name = "/var/tmp/weir-shared-XXXXXX";
  int fd = mkstemp(name.data());
  unlink(name.c_str());
  std::vector<int> written(1 << 18), got(written.size());
  std::iota(written.begin(), written.end(), 0);
  const auto bytes = static_cast<ssize_t>(written.size() * sizeof(int));
  ASSERT_EQ(weir_write(fd, written.data(), written.size() * sizeof(int)), bytes);
  fsync(fd);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
  ASSERT_EQ(pread(fd, got.data(), 4096, 0), 4096);
  lseek(fd, 0, SEEK_SET);
  EXPECT_EQ(weir::async([&] { return weir_read(fd, got.data(), got.size() * sizeof(int)); }).get(), bytes);
  EXPECT_TRUE(got == written);
  close(fd);
}

class IoTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0); }
  void TearDown() override {
    close(ends_[0]);
    close(ends_[1]);
    weir_statistics s{};
    s.size = sizeof s;
    weir_statistics_get(&s);
    EXPECT_EQ(s.in_flight, 0);
  }
  int ends_[2];
};

TEST_F(IoTest, an_empty_one_says_so) {
  weir::io_future empty;
  EXPECT_FALSE(empty.valid() || empty.ready());
  EXPECT_THROW(empty.get(), weir::future_error);
  EXPECT_THROW(empty.get_within(1ms), weir::future_error);
  EXPECT_THROW(empty.on_complete([](weir::io_result) {}), weir::future_error);
  EXPECT_THROW(empty.then([](weir::io_result) { return 1; }), weir::future_error);
  EXPECT_THROW(empty.as_future(), weir::future_error);
  empty.cancel();
}

TEST_F(IoTest, now_and_later) {
  char got[8] = {};
  auto later = weir::async_recv(ends_[0], got, 5);
  EXPECT_FALSE(later.ready());
  EXPECT_EQ(weir::async_send(ends_[1], "hello", 5).get().value, 5);
  EXPECT_EQ(later.get().value, 5);
  EXPECT_STREQ(got, "hello");
  EXPECT_THROW(later.get(), weir::future_error);
}

TEST_F(IoTest, cancelled_dropped_and_too_late) {
  char got[8];
  auto cancelled = weir::async_recv(ends_[0], got, 5);
  cancelled.cancel();
  EXPECT_EQ(cancelled.get().error(), ECANCELED);
  { auto dropped = weir::async_recv(ends_[0], got, 5); }
  EXPECT_EQ(weir::async_recv(ends_[0], got, 5).get_within(10ms).error(), ETIMEDOUT);
  EXPECT_EQ(weir::async_send(ends_[1], "x", 1).get().value, 1);
  EXPECT_EQ(weir::async_recv(ends_[0], got, 5).get_within(20s).value, 1);
}

TEST_F(IoTest, whatever_waits_can_be_given_up) {
  int pipes[2], full[2];
  char got[8];
  std::vector<char> much(1 << 20);
  ASSERT_FALSE(pipe(pipes) || pipe(full));
  sockaddr_un name{AF_UNIX, {}};
  std::snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "weir-given-up-%d", getpid());
  auto* address = reinterpret_cast<sockaddr*>(&name);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0), first = socket(AF_UNIX, SOCK_STREAM, 0), second = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_FALSE(bind(listener, address, sizeof name) || listen(listener, 0));
  int nobody = socket(AF_INET, SOCK_STREAM, 0);
  listen(nobody, 1);
  EXPECT_EQ(weir::async_connect(first, address, sizeof name).get().value, 0);

  EXPECT_EQ(weir::async_read(pipes[0], got, 5).get_within(10ms).error(), ETIMEDOUT);
  EXPECT_EQ(weir::async_accept(nobody).get_within(10ms).error(), ETIMEDOUT);
  EXPECT_EQ(weir::async_connect(second, address, sizeof name).get_within(10ms).error(), ETIMEDOUT);
  EXPECT_EQ(weir::async_sleep(20s).get_within(10ms).error(), ETIMEDOUT);
  auto filling = weir::async_write(full[1], much.data(), much.size()).get_within(100ms);
  EXPECT_TRUE(filling.error() == ETIMEDOUT || (filling.ok() && filling.value < 1 << 20));

  // They did nothing that the next would notice.
  EXPECT_EQ(write(pipes[1], "hello", 5), 5);
  EXPECT_EQ(weir::async_read(pipes[0], got, 5).get_within(20s).value, 5);
  EXPECT_EQ(weir::async_accept(listener).then([](weir::io_result r) { return close(static_cast<int>(r.value)); }).get(), 0);
  EXPECT_EQ(weir::async_connect(second, address, sizeof name).get_within(20s).value, 0);
  for (int fd : {pipes[0], pipes[1], full[0], full[1], listener, first, second, nobody}) close(fd);
}

TEST_F(IoTest, a_task_waits_whatever_its_socket_says_of_waiting) {
  for (int way = 0; way < 2; ++way) {
    timeval moment{0, 10'000};
    if (way == 0) setsockopt(ends_[0], SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof moment);
    else fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    char got[10] = "";
    auto all = weir::async([&] { return weir_recv(ends_[0], got, 9, MSG_WAITALL); });
    for (int i = 0; i < 3; ++i) usleep(30'000), send(ends_[1], "abc", 3, 0);
    EXPECT_EQ(all.get(), 9);
    EXPECT_STREQ(got, "abcabcabc");
  }
  sockaddr_un name{AF_UNIX, {}};
  std::snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "weir-full-queue-%d", getpid());
  auto* address = reinterpret_cast<sockaddr*>(&name);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0), first = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_FALSE(bind(listener, address, sizeof name) || listen(listener, 0) || connect(first, address, sizeof name));
  int second = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), third = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  auto waiting = weir::async([&] { return weir_connect(second, address, sizeof name); });
  EXPECT_EQ(waiting.wait_for(50ms), weir::future_status::timeout);
  int taken = accept(listener, nullptr, nullptr);
  EXPECT_EQ(waiting.get(), 0);
  auto operation = weir::async_connect(third, address, sizeof name);
  usleep(20'000);
  int next = accept(listener, nullptr, nullptr);
  EXPECT_EQ(operation.get().value, 0);
  for (int fd : {listener, first, second, third, taken, next}) close(fd);
}

TEST_F(IoTest, much_is_sent_whole_and_received_whole) {
  std::vector<char> out(3 << 20, 'x'), in(3 << 20);
  out.back() = 'y';
  auto received = weir::async_recv(ends_[0], in.data(), in.size(), MSG_WAITALL);
  EXPECT_EQ(weir::async_send(ends_[1], out.data(), out.size()).get().value, static_cast<ssize_t>(out.size()));
  EXPECT_EQ(received.get().value, static_cast<ssize_t>(in.size()));
  EXPECT_EQ(in, out);
}

TEST_F(IoTest, errors_come_as_values) {
  char got[8];
  EXPECT_EQ(weir::async_read(-1, got, 1).get().error(), EBADF);
  EXPECT_EQ(weir::async_pread(0, got, 1, -3).get().error(), EINVAL);
  close(ends_[1]);
  EXPECT_EQ(weir::async_recv(ends_[0], got, 5).get().value, 0);
  EXPECT_EQ(weir::async_send(ends_[0], "x", 1).get().error(), EPIPE);
  ends_[1] = dup(ends_[0]);
}

TEST_F(IoTest, ten_thousand_continuations_hold_no_stack) {
  std::vector<weir::future<int>> many;
  for (int i = 0; i < 10'000; ++i)
    many.push_back(weir::async_sleep(50ms).then([i](weir::io_result r) { return r.ok() ? i % 3 : -100'000; }));
  long sum = 0;
  for (auto& f : many) sum += f.get();
  EXPECT_EQ(sum, 9'999);
}

weir::future<int> echo_once(int fd) {
  char got[16];
  weir::io_result in = co_await weir::async_recv(fd, got, sizeof got);
  if (!in.ok()) co_return -1;
  weir::io_result out = co_await weir::async_send(fd, got, static_cast<std::size_t>(in.value));
  int doubled = co_await weir::async([](ssize_t n) { return static_cast<int>(2 * n); }, out.value);
  co_return doubled;
}

TEST_F(IoTest, coroutines_await) {
  auto served = echo_once(ends_[0]);
  EXPECT_EQ(weir_send(ends_[1], "abc", 3, 0), 3);
  char back[4] = {};
  EXPECT_EQ(weir_recv(ends_[1], back, 3, MSG_WAITALL), 3);
  EXPECT_STREQ(back, "abc");
  EXPECT_EQ(served.get(), 6);
}

// After some that came late the call waits before it tries; what came early is there all the same, and what is asked not to
// wait does not.
TEST_F(IoTest, a_task_receives_what_comes_late_and_what_came_early) {
  constexpr int rounds = 100;
  auto reader = weir::async([fd = ends_[0]] {
    int sum = 0;
    char byte;
    for (int i = 0; i < 2 * rounds; ++i) sum += weir_recv(fd, &byte, 1, 0) == 1 ? byte : -1000;
    return weir_recv(fd, &byte, 1, MSG_DONTWAIT) == -EAGAIN ? sum : -1;
  });
  const char one = 1;
  for (int i = 0; i < rounds; ++i) {
    std::this_thread::sleep_for(200us);
    EXPECT_EQ(weir_send(ends_[1], &one, 1, 0), 1);
  }
  const std::string many(rounds, one);
  EXPECT_EQ(weir_send(ends_[1], many.data(), many.size(), 0), rounds);
  EXPECT_EQ(reader.get(), 2 * rounds);
}

TEST_F(IoTest, a_task_writes_all_of_it_to_a_stream) {
  const std::string much(1 << 20, 'x');
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  for (auto [from, to] : {std::pair(ends_[0], ends_[1]), std::pair(pipe_ends[0], pipe_ends[1])}) {
    std::thread reader([from = from, left = much.size()]() mutable {
      char some[50'000];
      while (left) left -= static_cast<std::size_t>(read(from, some, sizeof some));
    });
    EXPECT_EQ(weir::async([&, to = to] { return weir_write(to, much.data(), much.size()); }).get(),
              static_cast<ssize_t>(much.size()));
    reader.join();
  }
  close(pipe_ends[0]), close(pipe_ends[1]);
}

// Some of it is on its way: that is the answer, and no signal.
TEST_F(IoTest, a_task_that_has_written_a_part_to_a_socket_is_told_how_much) {
  signal(SIGPIPE, SIG_DFL);
  const std::string much(1 << 22, 'x');
  auto written = weir::async([&] { return weir_write(ends_[1], much.data(), much.size()); });
  std::this_thread::sleep_for(20ms);
  std::string some(100'000, ' ');
  EXPECT_GT(read(ends_[0], some.data(), some.size()), 0);
  std::this_thread::sleep_for(20ms);
  shutdown(ends_[0], SHUT_RDWR);
  ssize_t bytes = written.get();
  EXPECT_GT(bytes, 0);
  EXPECT_LT(bytes, static_cast<ssize_t>(much.size()));
}

std::atomic<int> broken{0};

TEST(SignalTest, a_task_that_writes_to_nobody_is_told_as_by_write) {
  signal(SIGPIPE, [](int) { ++broken; });
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  EXPECT_EQ(weir::async([&] { return weir_write(ends[1], "x", 1); }).get(), -EPIPE);
  EXPECT_EQ(broken, 1);
  close(ends[1]);
  signal(SIGPIPE, SIG_DFL);
}

// A number that others have waited on: what it is now decides.
TEST_F(IoTest, a_task_receives_from_what_the_number_stands_for_now) {
  constexpr int rounds = 20;
  auto reader = weir::async([fd = ends_[0]] {
    char byte;
    for (int i = 0; i < rounds; ++i) EXPECT_EQ(weir_recv(fd, &byte, 1, 0), 1);
  });
  for (int i = 0; i < rounds; ++i) {
    std::this_thread::sleep_for(1ms);
    EXPECT_EQ(weir_send(ends_[1], "x", 1, 0), 1);
  }
  reader.get();
  const auto receive = [this] {
    char byte;
    return weir::async([&byte, fd = ends_[0]] { return weir_recv(fd, &byte, 1, 0); }).get();
  };
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(listen(listener, 1), 0);
  ASSERT_EQ(dup2(listener, ends_[0]), ends_[0]);
  close(listener);
  EXPECT_EQ(receive(), -ENOTCONN);
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  ASSERT_EQ(dup2(pair[0], ends_[0]), ends_[0]);
  close(pair[0]);
  close(pair[1]);
  EXPECT_EQ(receive(), 0);
  EXPECT_EQ(weir::async([fd = ends_[1]] { char byte; return weir_recv(fd, &byte, 1, MSG_DONTWAIT); }).get(), 0);
}

}  // namespace
