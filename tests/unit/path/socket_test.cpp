// SPDX-License-Identifier: Apache-2.0
// A socket that is read from without a try before, by tasks that are forced to be set aside.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <thread>

#include "base/clock.h"
#include "path/ending.h"
#include "path/guess.h"
#include "sys/capabilities.h"
#include "tests/unit/path/run_fixture.h"

namespace weir::path {
namespace {

// A socket of which several reads in a row had to wait, so that the next one is not tried before.
class SocketTest : public RunTest {
 protected:
  static constexpr int waits = 6;
  void SetUp() override {
    sys::Capabilities can = sys::probe("");
    if (!can.io_uring) GTEST_SKIP() << "no io_uring here: " << can.ring_error;
    RunTest::SetUp();
    int low[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, low), 0);
    ours_ = fcntl(low[0], F_DUPFD, 910);  // a number that no other test has used
    ::close(low[0]);
    theirs_ = low[1];
    for (int i = 0; i < waits; ++i) {
      Later sent = later(std::string(1, static_cast<char>('0' + i)));
      char got = 0;
      ASSERT_EQ(read(ours_, &got, 1), 1);
      ASSERT_EQ(got, '0' + i);
    }
    ASSERT_EQ(suspended(), waits);
    before_ = meter::totals();
  }
  void TearDown() override {
    if (IsSkipped()) return;
    for (int fd : {ours_, theirs_}) ::close(fd);
    tried(ours_, false);
    RunTest::TearDown();
  }
  using Later = std::jthread;
  Later later(std::string what) {
    return Later([this, what] {
      until_suspended();
      EXPECT_EQ(::write(theirs_, what.data(), what.size()), static_cast<ssize_t>(what.size()));
    });
  }
  // The same number, but another file.
  void replace(int by) {
    ASSERT_EQ(dup2(by, ours_), ours_);
    ::close(by);
  }
  int ours_, theirs_;
};

TEST_F(SocketTest, gives_what_comes_and_then_its_end) {
  char got[8] = {};
  for (int i = 0; i < 50; ++i) {
    Later sent = i % 2 ? later("later") : Later();
    if (i % 2 == 0) ASSERT_EQ(::write(theirs_, "sooner", 6), 6);
    ASSERT_EQ(read(ours_, got, sizeof got), i % 2 ? 5 : 6);
    ASSERT_EQ(std::string(got, 5), i % 2 ? "later" : "soone");
  }
  EXPECT_GT(suspended(), 25);  // what came sooner was left to the ring too
  shutdown(theirs_, SHUT_WR);
  EXPECT_EQ(read(ours_, got, sizeof got), 0);
}

TEST_F(SocketTest, gives_much_at_once) {
  std::string much(150'000, 'm'), got(much.size(), 0);
  Later sent = later(much);
  for (std::size_t at = 0; at < much.size();) {
    Result n = read(ours_, got.data() + at, got.size() - at);
    ASSERT_GT(n, 0);
    at += static_cast<std::size_t>(n);
  }
  EXPECT_EQ(got, much);
}

TEST_F(SocketTest, that_no_longer_blocks_says_so_soon_and_then_at_once) {
  fcntl(ours_, F_SETFL, O_NONBLOCK);
  char byte;
  EXPECT_EQ(read(ours_, &byte, 1), -EAGAIN);
  EXPECT_EQ(suspended(), 1);
  EXPECT_EQ(read(ours_, &byte, 1), -EAGAIN);
  EXPECT_EQ(suspended(), 1);
  ASSERT_EQ(::write(theirs_, "x", 1), 1);
  EXPECT_EQ(read(ours_, &byte, 1), 1);
}

TEST_F(SocketTest, that_got_a_time_limit_keeps_it) {
  timeval limit{0, 50'000};
  setsockopt(ours_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  char byte;
  std::int64_t began = base::now_ns();
  EXPECT_EQ(read(ours_, &byte, 1), -EAGAIN);
  EXPECT_GE(base::now_ns() - began, 40'000'000);
}

// Whoever changed it: nothing that weir sees says so.
TEST_F(SocketTest, that_no_longer_blocks_by_another_number_says_so_too) {
  int other = dup(ours_);
  fcntl(other, F_SETFL, O_NONBLOCK);
  ::close(other);
  char byte;
  EXPECT_EQ(read(ours_, &byte, 1), -EAGAIN);
}

// So whoever closes the number has nothing to ask of the driver.
TEST_F(SocketTest, is_waited_at_no_longer_than_it_is) {
  EXPECT_FALSE(is_waited_at(ours_));
  Later sent([&] {
    until_suspended();
    EXPECT_TRUE(is_waited_at(ours_));
    EXPECT_EQ(::write(theirs_, "a", 1), 1);
  });
  char byte = 0;
  EXPECT_EQ(read(ours_, &byte, 1), 1);
  EXPECT_FALSE(is_waited_at(ours_));
}

// The number says nothing any more of what the read waits for.
TEST_F(SocketTest, whose_number_is_another_sockets_now_is_waited_for) {
  int others[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, others), 0);
  Later replaced([&] {
    until_suspended();
    number_ends(ours_);  // as our dup2 has it
    replace(others[0]);
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    EXPECT_EQ(::write(others[1], "b", 1), 1);
    EXPECT_EQ(::write(theirs_, "a", 1), 1);
  });
  char byte = 0;
  EXPECT_EQ(read(ours_, &byte, 1), 1);
  EXPECT_EQ(byte, 'a');
  replaced.join();
  ::close(others[1]);
}

TEST_F(SocketTest, whose_number_is_a_files_now_reads_the_file) {
  std::string name = cold_file(10'000);
  replace(::open(name.c_str(), O_RDONLY));
  unlink(name.c_str());
  std::vector<char> got(6000), expected(6000);
  ASSERT_EQ(::pread(ours_, expected.data(), 6000, 0), 6000);
  EXPECT_EQ(read(ours_, got.data(), 6000), 6000);
  EXPECT_EQ(got, expected);
  EXPECT_EQ(lseek(ours_, 0, SEEK_CUR), 6000);
  EXPECT_EQ(read(ours_, got.data(), 6000), 4000);
}

TEST_F(SocketTest, whose_number_is_a_pipes_now_reads_the_pipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  replace(ends[0]);
  ASSERT_EQ(::write(ends[1], "pipe", 4), 4);
  char got[8] = {};
  EXPECT_EQ(read(ours_, got, sizeof got), 4);
  EXPECT_STREQ(got, "pipe");
  ::close(ends[1]);
  EXPECT_EQ(read(ours_, got, sizeof got), 0);
}

TEST_F(SocketTest, whose_peer_hangs_up_hard_gives_the_error) {
  int listener = ::socket(AF_INET, SOCK_STREAM, 0), peer = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  auto* address = reinterpret_cast<sockaddr*>(&here);
  ASSERT_EQ(::bind(listener, address, sizeof here), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(getsockname(listener, address, &size), 0);
  ASSERT_EQ(::connect(peer, address, sizeof here), 0);
  replace(::accept(listener, nullptr, nullptr));
  linger at_once{1, 0};
  setsockopt(peer, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  std::jthread hangs_up([peer] {
    until_suspended();
    ::close(peer);
  });
  char byte;
  EXPECT_EQ(read(ours_, &byte, 1), -ECONNRESET);
  EXPECT_EQ(suspended(), 1);
  ::close(listener);
}

// As the kernel's own call does. (Who waits until a number is ready and asks it then gets another's bytes.)
TEST_F(SocketTest, is_read_to_the_end_of_the_call_whatever_its_number_stands_for_meanwhile) {
  int others[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, others), 0);
  ASSERT_EQ(::write(others[1], "other", 5), 5);
  std::jthread replaces([&] {
    until_suspended();
    usleep(20'000);
    replace(others[0]);
    usleep(20'000);
    ASSERT_EQ(::write(theirs_, "first", 5), 5);
  });
  char got[8] = {};
  EXPECT_EQ(read(ours_, got, sizeof got), 5);
  EXPECT_STREQ(got, "first");
  replaces.join();
  EXPECT_EQ(read(ours_, got, sizeof got), 5);
  EXPECT_STREQ(got, "other");
  ::close(others[1]);
}

}  // namespace
}  // namespace weir::path
