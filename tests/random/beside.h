// SPDX-License-Identifier: Apache-2.0
// What the loops that `sources` writes are made of: waits, files, and objects that a thread may have beside a
// loop.
#pragma once

#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "values.h"

[[noreturn]] inline void wrong(const char* what, long at) {
  std::printf("wrong: %s at %ld\n", what, at);
  std::fflush(stdout);
  std::_Exit(3);
}
inline void check(bool holds, const char* what, long at) {
  if (!holds) wrong(what, at);
}

constexpr int block_bytes = 512, blocks = 512;
inline int data_fd = -1, journal_fd = -1;
inline char data_name[] = "/var/tmp/weir-beside-XXXXXX";

inline void open_files() {
  data_fd = mkstemp(data_name);
  for (int at = 0; at < blocks; ++at) {
    char block[block_bytes];
    for (int i = 0; i < block_bytes; ++i)
      block[i] = static_cast<char>(i % 32 == 31 ? '\n' : 'a' + (at * 7 + i) % 26);
    if (write(data_fd, block, sizeof block) != sizeof block) std::abort();
  }
  fsync(data_fd);
  char other[] = "/var/tmp/weir-beside-XXXXXX";
  journal_fd = mkstemp(other);
  unlink(other);
  fcntl(journal_fd, F_SETFL, O_APPEND);
}
inline void close_files() { unlink(data_name); }

// What was appended, in any order.
inline Value take_journal() {
  Value all = 0, record;
  for (off_t at = 0; pread(journal_fd, &record, sizeof record, at) == sizeof record; at += sizeof record)
    all += mix(record + 1);
  if (ftruncate(journal_fd, 0)) std::abort();
  return all;
}

// Waits, each of its own kind; what they give follows from their number.
inline Value by_nap(long i) {
  usleep(100 + i % 7 * 150);
  return mix(i);
}
inline Value by_timer(long i) {
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  itimerspec when{{0, 0}, {0, 100000 + i % 5 * 200000}};
  timerfd_settime(fd, 0, &when, nullptr);
  Value times = 0;
  check(read(fd, &times, sizeof times) == sizeof times, "timerfd", i);
  close(fd);
  return mix(i + times);
}
inline Value by_read(long i) {
  char block[block_bytes];
  check(pread(data_fd, block, sizeof block, i % blocks * block_bytes) == sizeof block, "pread", i);
  usleep(200);
  Value h = i;
  for (char c : block) h = h * 31 + static_cast<unsigned char>(c);
  return h;
}
inline Value by_socket(long i) {
  int ends[2];
  check(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair", i);
  timeval limit{0, 300};
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  char byte;
  check(recv(ends[0], &byte, 1, 0) == -1 && errno == EAGAIN, "a limit", i);
  close(ends[0]);
  close(ends[1]);
  return mix(i + 3);
}
[[gnu::noinline]] inline Value by_far_nap(long i) { return by_nap(i); }

// Something that goes from state to state, in several guises.
struct State {
  Value now;
  long steps;
};
[[gnu::noinline]] inline Value step(State* state, long i) {
  state->now = mix(state->now + i);
  ++state->steps;
  return state->now;
}
class Source {
 public:
  virtual ~Source() = default;
  virtual Value next(long i) = 0;
};
class Counted : public Source {
 public:
  explicit Counted(Value seed) : now_(seed) {}
  [[gnu::noinline]] Value next(long i) override { return now_ = mix(now_ + i); }

 private:
  Value now_;
};
[[gnu::noinline]] inline std::unique_ptr<Source> make_source(Value seed) {
  return std::make_unique<Counted>(seed);
}

#pragma omp declare reduction(merge:Sums : omp_out.merge(omp_in))
#pragma omp declare reduction( \
        join : std::vector<Value> : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))

inline Value fold(const Value* values, long n) {
  Value all = 0;
  for (long i = 0; i < n; ++i) all = mix(all + values[i]);
  return all;
}
inline Value fold(std::vector<Value> values) {  // in no order
  std::sort(values.begin(), values.end());
  return fold(values.data(), static_cast<long>(values.size()));
}
