// SPDX-License-Identifier: Apache-2.0
// The story of a call, told by plain threads that suspend (forced), on real descriptors and a real ring.
#include "path/call.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "api/instance.h"
#include "base/clock.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "meter/counters.h"
#include "path/guess.h"
#include "sys/file.h"
#include "wait/lane.h"

extern char** environ;

namespace weir::path {
namespace {

struct Read {
  int fd;
  iovec part;
};

Result real_read(Call& call) {
  auto* part = static_cast<const Read*>(call.arguments)->part.iov_base;
  ssize_t n = ::read(call.fd, part, call.bytes);
  return n < 0 ? -errno : n;
}

Result real_pread(Call& call) {
  auto* part = static_cast<const Read*>(call.arguments)->part.iov_base;
  ssize_t n = ::pread(call.fd, part, call.bytes, call.offset);
  return n < 0 ? -errno : n;
}

class RunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("WEIR_FORCE", "all", 1);
    api::prepare(environ);
    before_ = meter::totals();
    ASSERT_TRUE(concerns_us());
  }
  // Nothing may be left behind: no call in flight, no permit out.
  void TearDown() override {
    EXPECT_EQ(meter::gauges.in_flight.value(), 0);
    EXPECT_EQ(meter::gauges.suspended.value(), 0);
  }
  Result read(int fd, void* to, std::size_t bytes) {
    Read arguments{fd, {to, bytes}};
    Call call{.family = Family::next, .direction = Direction::in};
    call.fd = fd;
    call.attempt = attempt_next;
    call.real = real_read;
    call.arguments = &arguments;
    call.parts = &arguments.part;
    call.part_count = 1;
    call.bytes = bytes;
    return run(call);
  }
  Result pread(int fd, void* to, std::size_t bytes, off_t offset) {
    Read arguments{fd, {to, bytes}};
    Call call{.family = Family::file_at, .direction = Direction::in};
    call.fd = fd;
    call.attempt = attempt_file_at;
    call.real = real_pread;
    call.arguments = &arguments;
    call.parts = &arguments.part;
    call.part_count = 1;
    call.bytes = bytes;
    call.offset = offset;
    return run(call);
  }
  std::int64_t suspended() { return meter::totals().suspended - before_.suspended; }
  std::int64_t fast_hits() { return meter::totals().fast_hits - before_.fast_hits; }
  std::int64_t plain(meter::Reason why) {
    int i = static_cast<int>(why);
    return meter::totals().reasons[i] - before_.reasons[i];
  }
  meter::Totals before_;
};

std::string cold_file(std::size_t bytes) {
  std::string name = "/var/tmp/weir_run_test_" + std::to_string(getpid());
  std::vector<char> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<char>(i * 31 + i / 4096);
  int fd = ::open(name.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  EXPECT_EQ(::write(fd, data.data(), bytes), static_cast<ssize_t>(bytes));
  fdatasync(fd);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  ::close(fd);
  return name;
}

// RWF_NOWAIT does not keep a direct read from waiting for the device: it must be waited for like any other.
TEST_F(RunTest, ADirectReadIsNotTakenForACachedOne) {
  char name[] = "direct-XXXXXX";
  int fd = mkostemp(name, O_DIRECT);
  unlink(name);
  if (fd < 0) GTEST_SKIP() << "no direct I/O in this directory";
  alignas(4096) static char page[4096] = {'w'};
  ASSERT_EQ(::pwrite(fd, page, sizeof page, 0), 4096);
  page[0] = 0;
  EXPECT_EQ(pread(fd, page, sizeof page, 0), 4096);
  EXPECT_EQ(page[0], 'w');
  EXPECT_EQ(meter::totals().fast_hits, before_.fast_hits);
  close(fd);
}

// Else a read of what is not there yet would cost two transfers: the look's, of the last page, and its own.
TEST_F(RunTest, a_look_whether_bytes_are_there_makes_the_kernel_read_none) {
  constexpr std::size_t bytes = 8 << 20;
  constexpr off_t last = bytes - 4096;
  std::string name = cold_file(bytes);
  int low = ::open(name.c_str(), O_RDONLY), fd = fcntl(low, F_DUPFD, 901);  // a number that no other test has used
  ::close(low);
  unlink(name.c_str());
  Result known = sys::in_page_cache(fd, last, 4096);
  if (known != 0) GTEST_SKIP() << "the kernel does not tell, or keeps what it is told to drop";
  EXPECT_EQ(at_hand(fd, 0, bytes, bytes), -EAGAIN);
  EXPECT_EQ(sys::in_page_cache(fd, last, 4096), 0);
  char page[4096];
  EXPECT_EQ(::pread(fd, page, sizeof page, last), 4096);
  EXPECT_EQ(at_hand(fd, last, sizeof page, bytes), 1);
  EXPECT_EQ(at_hand(fd, last, 2 * sizeof page, bytes), 1);  // the file ends before
  EXPECT_EQ(at_hand(fd, bytes, 1, bytes), 0);
  ::close(fd);
}

TEST_F(RunTest, reads_what_is_there_without_waiting) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "abc", 3), 3);
  char got[8] = {};
  EXPECT_EQ(read(ends[0], got, sizeof got), 3);
  EXPECT_STREQ(got, "abc");
  EXPECT_EQ(fast_hits(), 1);
  EXPECT_EQ(suspended(), 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

// Around the call libc is asked for memory and threads, which there may not be.
TEST_F(RunTest, errno_is_what_it_was_whatever_weir_met_meanwhile) {
  auto* usual = meter::before_wait.exchange([] { errno = ENOMEM; });
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::thread feeder([&] {
    usleep(20'000);
    EXPECT_EQ(::write(ends[1], "x", 1), 1);
  });
  char got = 0;
  errno = E2BIG;
  Result result = read(ends[0], &got, 1);
  int left = errno;
  EXPECT_EQ(result, 1);
  EXPECT_EQ(left, E2BIG);
  feeder.join();
  meter::before_wait.store(usual);
  ::close(ends[0]);
  ::close(ends[1]);
}

// A team with stand-ins begins with all its threads at once: those whose calls never block must not go on so.
TEST_F(RunTest, a_call_done_at_once_leaves_the_core_to_others_where_too_many_compute) {
  gate::Gate& gate = gate::the_gate;
  std::int64_t limit = gate.cores.limit(), wait_ns = gate.wait_ns.exchange(60 * base::ns_per_s), held = gate.cores.held();
  gate.cores.set_limit(held + 1);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  constexpr int sign = 32;  // so many in a row, and the last of them waits
  char bytes[sign + 3] = {};
  ASSERT_EQ(::write(ends[1], bytes, sizeof bytes), static_cast<ssize_t>(sizeof bytes));
  gate.cores.take_over();
  std::atomic<bool> asks{false}, went_on{false};
  std::thread stand_in([&] {
    char got;
    base::self().place |= base::in_omp_team;
    EXPECT_EQ(read(ends[0], &got, 1), 1);  // without a core it has none to leave
    gate::take_core_at_once();
    base::self().lock_depth = 1;
    EXPECT_EQ(read(ends[0], &got, 1), 1);  // others may want its lock
    base::self().lock_depth = 0;
    for (int i = 1; i < sign; ++i) EXPECT_EQ(read(ends[0], &got, 1), 1);
    asks = true;
    EXPECT_EQ(read(ends[0], &got, 1), 1);
    went_on = true;
    EXPECT_EQ(read(ends[0], &got, 1), 1);  // nobody else computes
    gate::give_core();
  });
  while (!asks || (gate.cores.held() != held + 1 && !went_on)) std::this_thread::yield();
  EXPECT_FALSE(went_on);
  gate.cores.give();
  stand_in.join();
  EXPECT_EQ(gate.cores.held(), held);
  gate.cores.set_limit(limit);
  gate.wait_ns = wait_ns;
  ::close(ends[0]);
  ::close(ends[1]);
}

// The calling thread is one of a team's, in a program that parks; with its core given back at the end, if it took one.
class OfTeam {
 public:
  OfTeam() : forced_(wait::policy.forced.exchange(false)), best_(wait::policy.best.exchange(wait::Lane::park)) {
    base::self().place |= base::in_omp_team;
  }
  ~OfTeam() {
    gate::give_core();
    base::self().place = base::outside;
    wait::policy.best = best_;
    wait::policy.forced = forced_;
  }

 private:
  bool forced_;
  wait::Lane best_;
};

// A team's thread reads where the last read had to wait. What it finds there now decides what the next one does, and never
// what this one gives.
TEST_F(RunTest, a_read_that_likely_waits_is_not_looked_at_first) {
  std::string name = cold_file(3 * 4096);
  int fd = ::open(name.c_str(), O_RDONLY);
  unlink(name.c_str());
  if (sys::in_memory(fd)) GTEST_SKIP() << "no device below that directory";
  static std::atomic<int> looks{0};
  auto read_here = [](int from, char* to) {
    Read arguments{from, {to, 4096}};
    Call call{.family = Family::next, .direction = Direction::in};
    call.fd = from;
    call.attempt = [](Call& c) { return ++looks, attempt_next(c); };
    call.real = real_read;
    call.arguments = &arguments;
    call.parts = &arguments.part;
    call.part_count = 1;
    call.bytes = 4096;
    return run(call);
  };
  char page[4096], want[4096];
  auto read_of = [&](off_t offset) {
    EXPECT_EQ(::pread(fd, want, sizeof want, offset), 4096);  // and it is cached now
    EXPECT_EQ(read_here(fd, page), 4096);
    EXPECT_EQ(memcmp(page, want, sizeof page), 0) << offset;
    return looks.exchange(0);
  };
  OfTeam member;
  found_bytes(fd, Bytes::missing);
  EXPECT_EQ(read_of(0), 1) << "without a core to give";
  gate::take_core_at_once();
  found_bytes(fd, Bytes::missing);
  EXPECT_EQ(read_of(4096), 0);
  EXPECT_EQ(read_of(8192), last_bytes(fd) == Bytes::missing ? 0 : 1);  // missing still: the machine was busy, that took long
  found_bytes(fd, Bytes::missing);
  std::int64_t before = meter::totals().parked;
  EXPECT_EQ(read_here(fd, page), 0);  // at its end
  EXPECT_EQ(looks.exchange(0), 0);
  EXPECT_EQ(last_bytes(fd), Bytes::missing);
  EXPECT_LE(meter::totals().parked, before + 1);
  EXPECT_TRUE(base::self().holds_core);

  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(dup2(ends[0], fd), fd);
  ASSERT_EQ(::write(ends[1], "abc", 3), 3);
  EXPECT_EQ(read_here(fd, page), 3);
  EXPECT_EQ(looks.exchange(0), 1) << "another descriptor by now: it binds no permit";
  EXPECT_EQ(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
  EXPECT_EQ(read_here(fd, page), -EAGAIN);
  ::close(fd);
  EXPECT_EQ(read_here(fd, page), -EBADF);
  ::close(ends[0]);
  ::close(ends[1]);
}

// One that does wait is counted among those that wait.
TEST_F(RunTest, a_read_that_was_not_looked_at_and_waits_is_parked) {
  constexpr std::size_t bytes = 64 * 4096;
  std::string name = cold_file(bytes);
  int fd = ::open(name.c_str(), O_RDONLY);
  unlink(name.c_str());
  if (sys::in_page_cache(fd, 0, bytes) != 0) GTEST_SKIP() << "the kernel does not tell, or keeps what it is told to drop";
  OfTeam member;
  gate::take_core_at_once();
  static char data[bytes];
  std::int64_t parked = 0;
  for (off_t at : {0, 1, 2, 3}) {  // were one of a fast device's shorter than a copy takes
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    found_bytes(fd, Bytes::missing);
    std::int64_t before = meter::totals().parked;
    EXPECT_EQ(pread(fd, data, bytes - 4096, at * 512), static_cast<Result>(bytes - 4096));
    parked += meter::totals().parked - before;
  }
  EXPECT_GT(parked, 0);
  EXPECT_GT(meter::totals().hidden_ns, before_.hidden_ns);
  ::close(fd);
}

TEST_F(RunTest, waits_on_the_ring_for_a_pipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::thread writer([&] {
    usleep(30'000);
    ASSERT_EQ(::write(ends[1], "later", 5), 5);
  });
  char got[8] = {};
  EXPECT_EQ(read(ends[0], got, sizeof got), 5);
  EXPECT_STREQ(got, "later");
  EXPECT_EQ(suspended(), 1);
  writer.join();
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(RunTest, keeps_the_receive_timeout_of_a_socket) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  timeval limit{0, 50'000};
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), -EAGAIN);
  EXPECT_EQ(suspended(), 1);
  ::close(ends[0]);
  ::close(ends[1]);
}

// A socket of which several reads in a row had to wait, so that the next one is not tried before.
class SocketTest : public RunTest {
 protected:
  static constexpr int waits = 6;
  void SetUp() override {
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
    for (int fd : {ours_, theirs_}) ::close(fd);
    tried(ours_, false);
    RunTest::TearDown();
  }
  using Later = std::jthread;
  Later later(std::string what) {
    return Later([this, what] {
      usleep(20'000);
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

TEST_F(SocketTest, that_no_longer_blocks_says_so_at_once) {
  fcntl(ours_, F_SETFL, O_NONBLOCK);
  char byte;
  EXPECT_EQ(read(ours_, &byte, 1), -EAGAIN);
  EXPECT_EQ(suspended(), 0);
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
    usleep(20'000);
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
    while (meter::gauges.suspended.value() == 0) usleep(1000);
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

TEST_F(RunTest, leaves_nonblocking_descriptors_alone) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), -EAGAIN);
  EXPECT_EQ(plain(meter::Reason::nonblocking), 1);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(RunTest, reads_a_cold_file_at_an_offset) {
  std::string name = cold_file(1 << 20);
  int fd = ::open(name.c_str(), O_RDONLY);
  std::vector<char> got(100'000), expected(100'000);
  EXPECT_EQ(pread(fd, got.data(), got.size(), 300'001), 100'000);
  ASSERT_EQ(::pread(fd, expected.data(), expected.size(), 300'001), 100'000);
  EXPECT_EQ(got, expected);
  // Past the end: short, and natively the same.
  EXPECT_EQ(pread(fd, got.data(), got.size(), (1 << 20) - 10), 10);
  EXPECT_EQ(pread(fd, got.data(), got.size(), 1 << 20), 0);
  EXPECT_EQ(pread(fd, got.data(), got.size(), -5), -EINVAL);
  ::close(fd);
  unlink(name.c_str());
}

TEST_F(RunTest, reads_a_cold_file_at_the_shared_offset) {
  std::string name = cold_file(1 << 20);
  int fd = ::open(name.c_str(), O_RDONLY);
  std::vector<char> got(1 << 20), expected(1 << 20);
  std::size_t at = 0;
  while (Result n = read(fd, got.data() + at, 70'000)) {
    ASSERT_GT(n, 0);
    at += n;
    ASSERT_EQ(lseek(fd, 0, SEEK_CUR), static_cast<off_t>(at));
  }
  ASSERT_EQ(at, got.size());
  ASSERT_EQ(::pread(fd, expected.data(), expected.size(), 0), 1 << 20);
  EXPECT_EQ(got, expected);
  ::close(fd);
  unlink(name.c_str());
}

TEST_F(RunTest, reports_errors_as_the_call_does) {
  char byte;
  EXPECT_EQ(read(-1, &byte, 1), -EBADF);
  int fd = ::open("/", O_RDONLY);
  EXPECT_EQ(read(fd, &byte, 1), -EISDIR);
  ::close(fd);
}

TEST_F(RunTest, many_wait_at_once) {
  constexpr int count = 200;
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
      itimerspec when{{0, 0}, {0, 20'000'000}};
      timerfd_settime(fd, 0, &when, nullptr);
      std::uint64_t fired = 0;
      if (read(fd, &fired, sizeof fired) == 8 && fired == 1) ++right;
      ::close(fd);
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, count);
}

}  // namespace
}  // namespace weir::path
