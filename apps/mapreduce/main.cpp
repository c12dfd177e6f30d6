// SPDX-License-Identifier: Apache-2.0
// A fork-join tree whose leaves wait for a timer, then compute. Knows nothing of weir.
#include <sys/timerfd.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>

#include "kit/arguments.h"
#include "kit/checksum.h"
#include "kit/result.h"
#include "kit/runtimes.h"

namespace {

struct Job {
  long latency_ms = 0;
  long fib = 30;
  bool io = true;
};

std::uint64_t fib(long n) { return n < 2 ? static_cast<std::uint64_t>(n) : fib(n - 1) + fib(n - 2); }

// The reply comes latency_ms after the connection is opened.
std::uint64_t ask(long latency_ms) {
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  itimerspec when{};
  when.it_value.tv_sec = latency_ms / 1000;
  when.it_value.tv_nsec = latency_ms ? latency_ms % 1000 * 1'000'000 : 1;
  std::uint64_t fired = 0;
  if (fd < 0 || timerfd_settime(fd, 0, &when, nullptr) || read(fd, &fired, sizeof fired) != sizeof fired) {
    std::perror("timerfd");
    std::exit(1);
  }
  close(fd);
  return fired;
}

std::uint64_t leaf(const Job& job, std::int64_t index) {
  std::uint64_t reply = job.io ? ask(job.latency_ms) : 1;
  return kit::item(static_cast<std::uint64_t>(index), reply + fib(job.fib));
}

std::uint64_t tree_tbb(const Job& job, std::int64_t from, std::int64_t to) {
  if (to - from == 1) return leaf(job, from);
  std::int64_t middle = from + (to - from) / 2;
  std::uint64_t left = 0;
  tbb::task_group group;
  group.run([&] { left = tree_tbb(job, from, middle); });
  std::uint64_t right = tree_tbb(job, middle, to);
  group.wait();
  return left + right;
}

std::uint64_t reduce_tbb(const Job& job, std::int64_t leaves) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::int64_t>(0, leaves, 1), std::uint64_t{0},
      [&job](const tbb::blocked_range<std::int64_t>& range, std::uint64_t sum) {
        for (std::int64_t i = range.begin(); i != range.end(); ++i) sum += leaf(job, i);
        return sum;
      },
      std::plus<>(), tbb::simple_partitioner());
}

std::uint64_t tree_omp(const Job& job, std::int64_t from, std::int64_t to) {
  if (to - from == 1) return leaf(job, from);
  std::int64_t middle = from + (to - from) / 2;
  std::uint64_t left = 0, right = 0;
#pragma omp task shared(left, job) firstprivate(from, middle)
  left = tree_omp(job, from, middle);
#pragma omp task shared(right, job) firstprivate(middle, to)
  right = tree_omp(job, middle, to);
#pragma omp taskwait
  return left + right;
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(
      argc, argv,
      "[--leaves=5000] [--latency=MS] [--no-io] [--fib=30] [--cpu] "
      "[--runtime=serial|threads|tbb|tbb-reduce|openmp-tasks|openmp-flat] [--threads=N]");
  Job job;
  std::int64_t leaves = arguments.number("leaves", 5000);
  job.latency_ms = arguments.number("latency", 0);
  job.fib = arguments.number("fib", 30);
  job.io = !arguments.flag("no-io");
  bool cpu = arguments.flag("cpu");
  std::string runtime = arguments.text("runtime", "tbb");
  auto threads = static_cast<unsigned>(arguments.number("threads", 0));
  if (threads > 0) omp_set_num_threads(static_cast<int>(threads));
  if (leaves < 1) arguments.fail("--leaves is at least 1");
  arguments.finish();

  auto body = [&](std::int64_t i) { return leaf(job, i); };
  double began = kit::now(), cpu_began = kit::cpu_now();
  std::uint64_t sum = 0;
  if (runtime == "serial") {
    for (std::int64_t i = 0; i < leaves; ++i) sum += body(i);
  } else if (runtime == "threads") {
    sum = kit::sum_over_threads(leaves, body, threads);
  } else if (runtime == "tbb") {
    kit::in_arena(threads, [&] { sum = tree_tbb(job, 0, leaves); });
  } else if (runtime == "tbb-reduce") {
    kit::in_arena(threads, [&] { sum = reduce_tbb(job, leaves); });
  } else if (runtime == "openmp-flat") {
    sum = kit::sum_over_openmp_tasks(leaves, body);
  } else if (runtime == "openmp-tasks") {
#pragma omp parallel
#pragma omp single
    sum = tree_omp(job, 0, leaves);
  } else {
    arguments.fail("--runtime=" + runtime + ": no such runtime");
  }
  double seconds = kit::now() - began;
  if (cpu) std::printf("cpu_seconds=%.4f\n", kit::cpu_now() - cpu_began);
  kit::print_result(sum, seconds, static_cast<std::uint64_t>(leaves));
  return 0;
}
