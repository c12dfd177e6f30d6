// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/timerfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

// What the programs here share. They are plain TBB programs; the comment on top of each says what the report must show.

// A read that waits so many microseconds, or milliseconds.
inline bool wait_us(int us) {
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  itimerspec when{{0, 0}, {us / 1'000'000, us % 1'000'000 * 1'000L}};
  timerfd_settime(timer, 0, &when, nullptr);
  std::uint64_t times = 0;
  ssize_t got = read(timer, &times, sizeof times);
  close(timer);
  return got == sizeof times && times == 1;
}
inline bool wait_ms(int ms) { return wait_us(1000 * ms); }

// A pipe into which a thread of ours writes the given lines, one every `ms` milliseconds, and then closes it.
class SlowPipe {
 public:
  SlowPipe(int lines, int ms) {
    if (pipe(ends_)) std::abort();
    writer_ = std::thread([this, lines, ms] {
      for (int i = 0; i < lines; ++i) {
        usleep(ms * 1000);
        char line[32];
        int length = std::snprintf(line, sizeof line, "line %d\n", i);
        if (write(ends_[1], line, length) != length) std::abort();
      }
      close(ends_[1]);
    });
  }
  ~SlowPipe() {
    writer_.join();
    close(ends_[0]);
  }
  int fd() const { return ends_[0]; }

 private:
  int ends_[2];
  std::thread writer_;
};

// The address of the errno of who made it, not as it is.
class Kept {
 public:
  [[gnu::noinline]] Kept() {
    errno = 0;
    hidden_ = ~reinterpret_cast<std::uintptr_t>(&errno);
  }
  [[gnu::noinline]] int error() const { return *reinterpret_cast<int*>(~hidden_); }

 private:
  std::uintptr_t hidden_;
};

// A lock that neither yields nor calls anything: nobody can see who spins for it, or that it is held.
struct UnseenLock {
  void lock() {
    while (taken.exchange(true, std::memory_order_acquire)) __builtin_ia32_pause();
  }
  void unlock() { taken.store(false, std::memory_order_release); }
  std::atomic<bool> taken{false};
};

inline void compute(int steps) {
  for (int i = 0; i < steps; ++i) asm volatile("" : : "r"(i));
}

inline void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  std::fflush(stdout);
  std::_Exit(1);
}
