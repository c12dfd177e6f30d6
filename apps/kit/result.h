// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <atomic>
#include <cstdint>
#include <cstdio>

namespace kit {

inline double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// CPU seconds of the whole process so far.
inline double cpu_now() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// The last line of every program.
inline void print_result(std::uint64_t checksum, double seconds, std::uint64_t items) {
  std::printf("checksum=%016llx seconds=%.4f items=%llu\n", static_cast<unsigned long long>(checksum),
              seconds, static_cast<unsigned long long>(items));
}

// A line on stderr every two seconds while something long is under way. tick() from any thread.
class Progress {
 public:
  Progress(const char* what, std::uint64_t total) : what_(what), total_(total), next_(now() + 2) {}
  void tick(std::uint64_t items = 1) {
    std::uint64_t done = done_.fetch_add(items, std::memory_order_relaxed) + items;
    double due = next_.load(std::memory_order_relaxed);
    double t = now();
    if (t < due || !next_.compare_exchange_strong(due, t + 2)) return;
    std::fprintf(stderr, "%s: %llu of %llu\n", what_, static_cast<unsigned long long>(done),
                 static_cast<unsigned long long>(total_));
  }

 private:
  const char* what_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<double> next_;
};

}  // namespace kit
