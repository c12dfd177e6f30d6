// SPDX-License-Identifier: Apache-2.0
// Reads of files where there is no ring, by plain threads that suspend (forced).
#include "path/ringless.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "gate/gate.h"
#include "path/engine.h"
#include "sys/process.h"
#include "tests/unit/path/run_fixture.h"

namespace weir::path {
namespace {

constexpr std::size_t block = 4096;
constexpr int threads_of_ours = 128;

std::atomic<std::int32_t> made_by{0};
std::atomic<int> at_once{0}, most_at_once{0};

Result waits(Call&) { return -EAGAIN; }

Result read_slowly(Call& call) {
  made_by = sys::thread_id();
  int now = ++at_once, most = most_at_once;
  while (now > most && !most_at_once.compare_exchange_weak(most, now)) {}
  usleep(20'000);
  --at_once;
  return real_pread(call);
}

class RinglessTest : public RunTest {
 protected:
  void SetUp() override {
    setenv("WEIR_DISABLE", "io_uring", 1);
    RunTest::SetUp();
    if (driver.running()) GTEST_SKIP() << "another test has made a ring here";
    made_by = 0;
    most_at_once = 0;
    name_ = cold_file(16 * block);
    file_ = ::open(name_.c_str(), O_RDONLY);
    ASSERT_GE(file_, 0);
  }
  void TearDown() override {
    unsetenv("WEIR_DISABLE");
    if (file_ < 0) return;
    ::close(file_);
    ::unlink(name_.c_str());
    EXPECT_EQ(gate::the_gate.permits.held(), 0);
    RunTest::TearDown();
  }
  std::string name_;
  int file_ = -1;
};

TEST_F(RinglessTest, a_thread_of_ours_reads_while_the_task_is_set_aside) {
  char got[block];
  EXPECT_EQ(pread(file_, got, block, 3 * block, waits, read_slowly), static_cast<Result>(block));
  EXPECT_EQ(got[0], 3);
  EXPECT_EQ(got[1], 31 + 3);
  EXPECT_NE(made_by, sys::thread_id());
  EXPECT_EQ(suspended(), 1);
  EXPECT_EQ(meter::totals().storage_ops, before_.storage_ops + 1);
}

TEST_F(RinglessTest, an_error_comes_back_as_one) {
  char got[block];
  int closed = ::open("/dev/null", O_WRONLY);
  EXPECT_EQ(pread(closed, got, block, 0, waits, real_pread), -EBADF);
  ::close(closed);
}

TEST_F(RinglessTest, no_more_at_once_than_there_are_permits) {
  api::override_settings({.permits = 4});
  std::vector<std::thread> team;
  std::atomic<int> right{0};
  for (int i = 0; i < 32; ++i) {
    team.emplace_back([this, i, &right] {
      char got[block];
      right += pread(file_, got, block, i % 16 * block, waits, read_slowly) == static_cast<Result>(block) && got[0] == i % 16;
    });
  }
  for (std::thread& thread : team) thread.join();
  EXPECT_EQ(right, 32);
  EXPECT_LE(most_at_once, 4);
  EXPECT_GE(most_at_once, 2);
}

TEST_F(RinglessTest, with_all_of_our_threads_at_work_a_thread_reads_itself) {
  api::override_settings({.permits = 1024});
  std::vector<std::thread> team;
  std::atomic<int> right{0};
  for (int i = 0; i < threads_of_ours + 64; ++i) {
    team.emplace_back([this, i, &right] {
      char got[block];
      right += pread(file_, got, block, i % 16 * block, waits, read_slowly) == static_cast<Result>(block) && got[0] == i % 16;
    });
  }
  for (std::thread& thread : team) thread.join();
  EXPECT_EQ(right, threads_of_ours + 64);
}

TEST_F(RinglessTest, what_comes_from_others_is_waited_for) {
  int ends[2], pair[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  for (auto [from, to] : {std::pair{ends[0], ends[1]}, std::pair{pair[0], pair[1]}}) {
    std::thread writer([to] {
      until_suspended();
      EXPECT_EQ(::write(to, "x", 1), 1);
    });
    char got = 0;
    EXPECT_EQ(read(from, &got, 1), 1);
    EXPECT_EQ(got, 'x');
    writer.join();
  }
  EXPECT_EQ(suspended(), 2);
  for (int end : {ends[0], ends[1], pair[0], pair[1]}) ::close(end);
}

TEST_F(RinglessTest, a_descriptor_may_be_closed_while_it_is_waited_for) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  int other = ::open("/dev/null", O_RDONLY);
  std::thread closer([&] {
    until_suspended();
    dup2(other, pair[0]);  // reads nothing
    EXPECT_EQ(::write(pair[1], "x", 1), 1);
  });
  char got = 0;
  EXPECT_GE(read(pair[0], &got, 1), 0);
  closer.join();
  for (int end : {pair[0], pair[1], other}) ::close(end);
}

TEST_F(RinglessTest, with_no_room_high_up_the_number_itself_is_waited_at) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 900;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  for (int i = 0; i < 3; ++i) {
    std::thread writer([&] {
      until_suspended();
      EXPECT_EQ(::write(pair[1], "x", 1), 1);
    });
    char got = 0;
    EXPECT_EQ(read(pair[0], &got, 1), 1);
    writer.join();
  }
  EXPECT_EQ(suspended(), 3);
  EXPECT_EQ(fcntl(pair[0], F_GETFD), 0);  // it is open
  setrlimit(RLIMIT_NOFILE, &before);
  for (int end : pair) ::close(end);
}

TEST_F(RinglessTest, thousands_are_waited_for_at_once) {
  constexpr int many = 2000;
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  std::vector<std::thread> team;
  std::atomic<int> right{0};
  for (int i = 0; i < many; ++i) {
    team.emplace_back([&] {
      char got = 0;
      right += read(pair[0], &got, 1) == 1 && got == 'x';
    });
  }
  for (int ms = 0; ms < 20'000 && meter::gauges.suspended.value() < many; ++ms) usleep(1000);
  std::string all(many, 'x');
  EXPECT_EQ(::write(pair[1], all.data(), all.size()), many);
  for (std::thread& thread : team) thread.join();
  EXPECT_EQ(right, many);
  for (int end : pair) ::close(end);
}

TEST_F(RinglessTest, a_socket_keeps_its_time_limit) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  timeval limit{0, 30'000};
  ASSERT_EQ(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
  char got = 0;
  std::int64_t began = base::now_ns();
  EXPECT_EQ(read(pair[0], &got, 1), -EAGAIN);
  EXPECT_GE(base::now_ns() - began, 30 * base::ns_per_ms);
  for (int end : pair) ::close(end);
}

}  // namespace
}  // namespace weir::path
