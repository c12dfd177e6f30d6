// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omp.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "kit/arguments.h"

namespace kit {

// The ways a loop over independent items can be run.
enum class Runtime { serial, threads, openmp, openmp_dynamic, openmp_tasks, tbb, tbb_pieces };

constexpr const char* runtime_names = "serial|threads|openmp|openmp-dynamic|openmp-tasks|tbb|tbb-pieces";

// False for a name that is none.
inline bool read_runtime(const std::string& name, Runtime* runtime) {
  const struct {
    const char* name;
    Runtime runtime;
  } names[] = {{"serial", Runtime::serial},
               {"threads", Runtime::threads},
               {"openmp", Runtime::openmp},
               {"openmp-dynamic", Runtime::openmp_dynamic},
               {"openmp-tasks", Runtime::openmp_tasks},
               {"tbb", Runtime::tbb},
               {"tbb-pieces", Runtime::tbb_pieces}};
  for (auto& n : names)
    if (name == n.name) return *runtime = n.runtime, true;
  return false;
}

// --runtime, or the end of the program.
inline Runtime runtime_of(Arguments& arguments, const char* otherwise) {
  Runtime runtime;
  if (!read_runtime(arguments.text("runtime", otherwise), &runtime)) {
    arguments.fail("--runtime is one of " + std::string(runtime_names));
  }
  return runtime;
}

// Calls work() where oneTBB may use that many threads; 0 is what it takes by itself. Its implicit arena never
// has more than there are cores, so that more need an arena of their own.
template <typename Work>
void in_arena(unsigned threads, const Work& work) {
  if (threads == 0) return work();
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena(static_cast<int>(threads)).execute(work);
}

template <typename Body>
std::uint64_t sum_over_threads(std::int64_t count, const Body& body, unsigned threads) {
  std::atomic<std::int64_t> next{0};
  std::atomic<std::uint64_t> total{0};
  std::vector<std::thread> team;
  for (unsigned t = 0; t < (threads ? threads : std::thread::hardware_concurrency()); ++t) {
    team.emplace_back([&] {
      std::uint64_t mine = 0;
      for (std::int64_t i = next++; i < count; i = next++) mine += body(i);
      total += mine;
    });
  }
  for (std::thread& t : team) t.join();
  return total;
}

template <typename Body>
std::uint64_t sum_over_openmp_static(std::int64_t count, const Body& body) {
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) sum += body(i);
  return sum;
}

template <typename Body>
std::uint64_t sum_over_openmp_dynamic(std::int64_t count, const Body& body) {
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) sum += body(i);
  return sum;
}

template <typename Body>
std::uint64_t sum_over_openmp_tasks(std::int64_t count, const Body& body) {
  std::atomic<std::uint64_t> total{0};
#pragma omp parallel
#pragma omp single
  for (std::int64_t i = 0; i < count; ++i) {
#pragma omp task firstprivate(i) shared(total, body)
    total.fetch_add(body(i), std::memory_order_relaxed);
  }
  return total;
}

// As libtbb cuts it by itself, or each item a piece of its own, as simple_partitioner cuts it.
template <typename Partitioner, typename Body>
std::uint64_t sum_over_tbb(std::int64_t count, const Body& body, unsigned threads) {
  std::atomic<std::uint64_t> total{0};
  in_arena(threads, [&] {
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, count, 1),
                      [&](const tbb::blocked_range<std::int64_t>& r) {
                        std::uint64_t mine = 0;
                        for (std::int64_t i = r.begin(); i != r.end(); ++i) mine += body(i);
                        total.fetch_add(mine, std::memory_order_relaxed);
                      },
                      Partitioner());
  });
  return total;
}

// body(i) for i in [0, count), each once, and the sum of what it returns. `threads`: how many; 0 is what the
// runtime takes by itself. A template, so that every loop of a program is a parallel region with a code
// address of its own. gcc makes of a static loop a question for the thread's number. A program that has none
// says static_loops = false: Runtime::openmp is the dynamic loop then.
template <bool static_loops = true, typename Body>
std::uint64_t sum_over(Runtime runtime, std::int64_t count, const Body& body, unsigned threads = 0) {
  if (threads > 0) omp_set_num_threads(static_cast<int>(threads));
  switch (runtime) {
    case Runtime::serial:
      break;
    case Runtime::threads:
      return sum_over_threads(count, body, threads);
    case Runtime::openmp:
      if constexpr (static_loops) return sum_over_openmp_static(count, body);
      [[fallthrough]];
    case Runtime::openmp_dynamic:
      return sum_over_openmp_dynamic(count, body);
    case Runtime::openmp_tasks:
      return sum_over_openmp_tasks(count, body);
    case Runtime::tbb:
      return sum_over_tbb<tbb::auto_partitioner>(count, body, threads);
    case Runtime::tbb_pieces:
      return sum_over_tbb<tbb::simple_partitioner>(count, body, threads);
  }
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += body(i);
  return sum;
}

}  // namespace kit
