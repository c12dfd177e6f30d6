// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace kit {

// The ways a loop over independent items can be run.
enum class Runtime { serial, threads, openmp, openmp_dynamic, openmp_tasks, tbb };

constexpr const char* runtime_names = "serial|threads|openmp|openmp-dynamic|openmp-tasks|tbb";

// False for a name that is none.
inline bool read_runtime(const std::string& name, Runtime* runtime) {
  const struct { const char* name; Runtime runtime; } names[] = {
      {"serial", Runtime::serial},     {"threads", Runtime::threads},
      {"openmp", Runtime::openmp},     {"openmp-dynamic", Runtime::openmp_dynamic},
      {"openmp-tasks", Runtime::openmp_tasks}, {"tbb", Runtime::tbb}};
  for (auto& n : names)
    if (name == n.name) return *runtime = n.runtime, true;
  return false;
}

// body(i) for i in [0, count), each once, and the sum of what it returns.
template <typename Body>
std::uint64_t sum_over(Runtime runtime, std::int64_t count, const Body& body) {
  std::uint64_t sum = 0;
  switch (runtime) {
    case Runtime::serial:
      for (std::int64_t i = 0; i < count; ++i) sum += body(i);
      break;
    case Runtime::threads: {
      unsigned n = std::thread::hardware_concurrency();
      std::atomic<std::int64_t> next{0};
      std::atomic<std::uint64_t> total{0};
      std::vector<std::thread> team;
      for (unsigned t = 0; t < n; ++t) {
        team.emplace_back([&] {
          std::uint64_t mine = 0;
          for (std::int64_t i = next++; i < count; i = next++) mine += body(i);
          total += mine;
        });
      }
      for (std::thread& t : team) t.join();
      sum = total;
      break;
    }
    case Runtime::openmp:
#pragma omp parallel for schedule(static) reduction(+ : sum)
      for (std::int64_t i = 0; i < count; ++i) sum += body(i);
      break;
    case Runtime::openmp_dynamic:
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
      for (std::int64_t i = 0; i < count; ++i) sum += body(i);
      break;
    case Runtime::openmp_tasks: {
      std::atomic<std::uint64_t> total{0};
#pragma omp parallel
#pragma omp single
      for (std::int64_t i = 0; i < count; ++i) {
#pragma omp task firstprivate(i) shared(total, body)
        total.fetch_add(body(i), std::memory_order_relaxed);
      }
      sum = total;
      break;
    }
    case Runtime::tbb: {
      std::atomic<std::uint64_t> total{0};
      tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, count, 1), [&](const tbb::blocked_range<std::int64_t>& r) {
        std::uint64_t mine = 0;
        for (std::int64_t i = r.begin(); i != r.end(); ++i) mine += body(i);
        total.fetch_add(mine, std::memory_order_relaxed);
      });
      sum = total;
      break;
    }
  }
  return sum;
}

}  // namespace kit
