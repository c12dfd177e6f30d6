// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

#include "api/instance.h"
#include "meter/counters.h"
#include "path/call.h"

extern char** environ;

namespace weir::path {

struct Read {
  int fd;
  iovec part;
};

inline Result real_read(Call& call) {
  auto* part = static_cast<const Read*>(call.arguments)->part.iov_base;
  ssize_t n = ::read(call.fd, part, call.bytes);
  return n < 0 ? -errno : n;
}

inline Result real_pread(Call& call) {
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
  static Result pread(int fd, void* to, std::size_t bytes, off_t offset, Result (*attempt)(Call&) = attempt_file_at,
                      Result (*real)(Call&) = real_pread) {
    Read arguments{fd, {to, bytes}};
    Call call{.family = Family::file_at, .direction = Direction::in};
    call.fd = fd;
    call.attempt = attempt;
    call.real = real;
    call.arguments = &arguments;
    call.parts = &arguments.part;
    call.part_count = 1;
    call.bytes = bytes;
    call.offset = offset;
    return run(call);
  }
  // For another thread that answers: only when it is waited for, however slow the machine is.
  static void until_suspended() {
    for (int ms = 0; ms < 20'000 && meter::gauges.suspended.value() == 0; ++ms) usleep(1000);
    usleep(2000);  // from there to the ring
  }
  std::int64_t suspended() { return meter::totals().suspended - before_.suspended; }
  std::int64_t fast_hits() { return meter::totals().fast_hits - before_.fast_hits; }
  std::int64_t plain(meter::Reason why) {
    int i = static_cast<int>(why);
    return meter::totals().reasons[i] - before_.reasons[i];
  }
  meter::Totals before_;
};

inline std::string cold_file(std::size_t bytes) {
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

}  // namespace weir::path
