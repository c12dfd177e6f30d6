// SPDX-License-Identifier: Apache-2.0
// The story of a call, told by plain threads that suspend (forced), on real descriptors and a real ring.
#include "tests/unit/path/run_fixture.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>

#include <cstring>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "meter/sites.h"
#include "path/guess.h"
#include "sys/file.h"
#include "wait/lane.h"
#include "wait/runtimes.h"
#include "wait/thread_waiter.h"

namespace weir::path {
namespace {

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

TEST_F(RunTest, a_file_blocks_whether_it_is_to_or_not) {
  char name[] = "direct-XXXXXX";
  int fd = mkostemp(name, O_DIRECT | O_NONBLOCK);
  unlink(name);
  if (fd < 0 || sys::in_memory(fd)) GTEST_SKIP() << "no direct I/O in this directory";
  alignas(4096) static char page[4096] = {'w'};
  ASSERT_EQ(::pwrite(fd, page, sizeof page, 0), 4096);
  page[0] = 0;
  EXPECT_EQ(pread(fd, page, sizeof page, 0), 4096);
  EXPECT_EQ(page[0], 'w');
  EXPECT_EQ(plain(meter::Reason::nonblocking), 0);
  EXPECT_EQ(meter::totals().parked, before_.parked + 1);
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

// A run-time whose task goes on on another thread, as far as the thread's record tells, and is not set aside twice.
constexpr std::int32_t elsewhere = 1;
int times_aside, times_home;
const weir_runtime moving = {
    WEIR_RUNTIME_VERSION, "moving", [] { return 0; },
    [](weir_start_fn start, void* argument) {
      if (times_aside++) return static_cast<int>(WEIR_REFUSED_CAP);
      wait::thread_runtime.suspend(start, argument);
      base::self().tid = elsewhere;
      return 0;
    },
    [](std::int32_t home) {
      base::self().tid = home;
      return ++times_home, 0;
    },
    nullptr};

TEST_F(RunTest, what_was_woken_in_vain_parks_on_the_thread_it_began_on) {
  constexpr std::uint32_t place = 1u << 30;
  ASSERT_EQ(wait::add_runtime(&moving, place), 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  Call call{.family = Family::stream_in, .direction = Direction::in};
  call.fd = ends[0];
  call.attempt = [](Call&) -> Result { return -EAGAIN; };
  call.real = [](Call&) -> Result { return base::self().tid == elsewhere ? -EXDEV : -EIO; };
  base::Thread& thread = base::self();
  thread.place |= place;
  Result result = run(call);
  thread.place &= ~place;
  EXPECT_EQ(result, -EIO);
  EXPECT_EQ(times_home, 1);
  thread.tid = 0;  // asked for anew
  ::close(ends[0]);
  ::close(ends[1]);
}

// What is ready or waits for a permit is enough: oneTBB would begin more, where its stand-ins go on with those.
TEST_F(RunTest, a_read_of_a_oneTBB_task_blocks_where_enough_are_ready_and_there_are_stand_ins) {
  gate::Gate& gate = gate::the_gate;
  std::string name = cold_file(4096);
  int fd = ::open(name.c_str(), O_RDONLY);
  unlink(name.c_str());
  char page[4096];
  auto parks = [&](std::uint32_t place, bool stand_ins, std::int64_t ready) {
    Read arguments{fd, {page, sizeof page}};
    Call call{.family = Family::file_at, .direction = Direction::in};
    call.fd = fd;
    call.attempt = [](Call&) -> Result { return -EAGAIN; };
    call.real = real_pread;
    call.arguments = &arguments;
    call.parts = &arguments.part;
    call.part_count = 1;
    call.bytes = sizeof page;
    base::Thread& thread = base::self();
    std::uint32_t place_before = std::exchange(thread.place, place);
    bool before = gate.has_stand_ins.exchange(stand_ins), automatic = wait::policy.automatic.exchange(false);
    for (int i = 0; i < ready; ++i) meter::gauges.ready.rise();
    std::int64_t backlog = plain(meter::Reason::backlog), aside = suspended();
    EXPECT_EQ(run(call), 4096);
    for (int i = 0; i < ready; ++i) meter::gauges.ready.fall();
    gate.has_stand_ins.store(before);
    wait::policy.automatic.store(automatic);
    thread.place = place_before;
    EXPECT_EQ(suspended() - aside, plain(meter::Reason::backlog) > backlog ? 0 : 1);
    return plain(meter::Reason::backlog) > backlog;
  };
  const std::int64_t enough = 64 * gate.cores.limit();
  EXPECT_TRUE(parks(base::in_tbb_arena, true, enough + 1));
  EXPECT_FALSE(parks(base::in_tbb_arena, true, enough));
  EXPECT_FALSE(parks(base::in_tbb_arena, false, enough + 1));
  EXPECT_FALSE(parks(base::in_omp_team, true, enough + 1));
  ::close(fd);
}

// Around the call libc is asked for memory and threads, which there may not be.
TEST_F(RunTest, errno_is_what_it_was_whatever_weir_met_meanwhile) {
  auto* usual = meter::before_wait.exchange([] { errno = ENOMEM; });
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::thread feeder([&] {
    until_suspended();
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

TEST_F(RunTest, a_wait_of_weirs_own_is_no_call_of_the_program) {
  auto* usual = meter::before_wait.exchange([] {});
  auto counted = [] {
    std::int64_t count = meter::sites.others().count;
    for (int i = 0; i < meter::Sites::most; ++i)
      if (const meter::Site* site = meter::sites.at(i)) count += site->count;
    return count;
  };
  const std::int64_t waits = counted();
  const meter::Totals before = meter::totals();
  wait_a_moment(1'000'000);
  EXPECT_EQ(meter::totals().suspended - before.suspended, 1);
  EXPECT_EQ(meter::totals().calls, before.calls);
  EXPECT_EQ(counted(), waits);
  meter::before_wait.store(usual);
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

void threads_compute_little() {
  for (int i = 0; i < 100; ++i) gate::the_gate.pieces.add(10'000);
}

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
  threads_compute_little();
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
  threads_compute_little();
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

// Reads at positions of which it is counted how often one was looked at first, and how often libc's own call was made.
class CountedReadTest : public RunTest {
 protected:
  struct Made {
    int looks, real;
    bool operator==(const Made&) const = default;
  };
  static Made made() { return {looks_.exchange(0), real_.exchange(0)}; }
  static Result pread_counted(int fd, void* to, std::size_t bytes, off_t offset) {
    return pread(fd, to, bytes, offset, [](Call& c) { return ++looks_, attempt_file_at(c); },
                 [](Call& c) { return ++real_, real_pread(c); });
  }
  // Direct reads of `pages` pages of A's, B's and so on; under a number that no other test has used. -1: not in this directory.
  static int direct_file(int pages, int number) {
    char name[] = "direct-XXXXXX";
    int low = mkostemp(name, O_DIRECT), fd = fcntl(low, F_DUPFD, number);
    unlink(name);
    ::close(low);
    if (fd < 0 || sys::in_memory(fd)) return -1;
    alignas(4096) static char page[4096];
    for (int i = 0; i < pages; ++i) {
      memset(page, 'A' + i, sizeof page);
      EXPECT_EQ(::pwrite(fd, page, sizeof page, i * 4096), 4096);
    }
    return fd;
  }

 private:
  static inline std::atomic<int> looks_{0}, real_{0};
};

// What a number stands for by now fails as it would, whatever reads of it did before: the ring itself would read from a pipe.
TEST_F(CountedReadTest, a_position_is_not_read_from_what_took_the_number_of_a_file) {
  int fd = direct_file(1, 903);
  if (fd < 0) GTEST_SKIP() << "no direct I/O in this directory";
  alignas(4096) static char page[4096];
  int pipe_ends[2], socket_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, socket_ends), 0);
  int event = eventfd(7, EFD_NONBLOCK);
  ASSERT_EQ(::write(pipe_ends[1], "abc", 3), 3);
  ASSERT_EQ(::write(socket_ends[1], "abc", 3), 3);
  for (int stream : {pipe_ends[0], socket_ends[0], event}) {
    for (int i = 0; i < 9; ++i) {
      EXPECT_EQ(pread_counted(fd, page, sizeof page, 0), 4096);
      int file = dup(fd);
      ASSERT_EQ(dup2(stream, fd), fd);
      EXPECT_EQ(pread_counted(fd, page, sizeof page, i * 512), -ESPIPE);
      ASSERT_EQ(dup2(file, fd), fd);
      ::close(file);
    }
    EXPECT_EQ(::read(stream, page, sizeof page), stream == event ? 8 : 3);
  }
  ::close(fd);
  for (int i = 0; i < 9; ++i) {
    found_bytes(fd, Bytes::missing);
    EXPECT_EQ(pread_counted(fd, page, sizeof page, 0), -EBADF);
  }
  for (int each : {pipe_ends[0], pipe_ends[1], socket_ends[0], socket_ends[1], event}) ::close(each);
}

// A thread that has no core to give blocks in any case: most of its reads after one that had to wait are libc's call at once.
TEST_F(CountedReadTest, without_a_core_one_read_in_eight_looks_first) {
  constexpr int pages = 32;
  int fd = direct_file(pages, 904);
  if (fd < 0) GTEST_SKIP() << "no direct I/O in this directory";
  alignas(4096) static char page[4096];
  OfTeam member;
  ASSERT_FALSE(base::self().holds_core);
  made();
  for (int i = 0; i < pages; ++i) {
    found_bytes(fd, Bytes::missing);
    EXPECT_EQ(pread_counted(fd, page, sizeof page, i * 4096), 4096);
    EXPECT_EQ(page[0], 'A' + i);
    EXPECT_EQ(page[4095], 'A' + i);
  }
  EXPECT_EQ(made(), (Made{pages / 8, pages}));
  ::close(fd);
}

// A buffer may be larger than the file: what the ring read of it is all there is.
TEST_F(CountedReadTest, what_ends_with_its_file_is_read_once) {
  for (std::size_t bytes : {12'001, 12'288}) {
    std::string name = cold_file(bytes);
    int low = ::open(name.c_str(), O_RDONLY), fd = fcntl(low, F_DUPFD, 905);
    ::close(low);
    unlink(name.c_str());
    if (sys::in_page_cache(fd, 0, bytes) != 0) GTEST_SKIP() << "the kernel does not tell, or keeps what it is told to drop";
    std::vector<char> got(16'384), expected(16'384);
    made();
    std::int64_t before = suspended();
    EXPECT_EQ(pread_counted(fd, got.data(), got.size(), 0), static_cast<Result>(bytes));
    bool waited = suspended() > before;  // else the look found all: it made the kernel begin to read
    if (waited) EXPECT_EQ(made(), (Made{1, bytes % 512 ? 0 : 1})) << "whether it could have been broken off there";
    ASSERT_EQ(::pread(fd, expected.data(), expected.size(), 0), static_cast<Result>(bytes));
    EXPECT_EQ(got, expected);
    ::close(fd);
  }
}

TEST_F(RunTest, waits_on_the_ring_for_a_pipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::thread writer([&] {
    until_suspended();
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
