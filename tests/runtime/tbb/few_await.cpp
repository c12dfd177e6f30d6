// SPDX-License-Identifier: Apache-2.0
// Tasks that take turns by a condition, while as many go on as there are cores since some try for a file's lock: who waits for its
// turn keeps no core from who has it. The program allows many threads.
// auto: fallbacks.get("few_at_once", 0) >= 20
// park: fallbacks.get("few_at_once", 0) >= 20
// suspend: fallbacks.get("few_at_once", 0) >= 20
#include <fcntl.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "case.h"

namespace {

std::mutex mutex;
std::condition_variable is_over;
bool is_taken = false;

void take_turn() {
  std::unique_lock<std::mutex> lock(mutex);
  is_over.wait(lock, [] { return !is_taken; });
  is_taken = true;
  lock.unlock();
  usleep(2000);
  lock.lock();
  is_taken = false;
  is_over.notify_one();
}

void try_for_lock(int file, int number) {
  struct flock one {};
  one.l_type = F_WRLCK;
  one.l_start = number;
  one.l_len = 1;
  check(!fcntl(file, F_SETLK, &one), "a lock");
}

}  // namespace

int main() {
  constexpr int turns = 64;
  constexpr std::chrono::seconds long_for_all{8};
  char name[] = "/tmp/weir-few-await-XXXXXX";
  int file = mkstemp(name);
  check(file >= 0, "a file");
  unlink(name);
  const std::size_t threads = 8 * std::thread::hardware_concurrency();
  tbb::global_control many(tbb::global_control::max_allowed_parallelism, threads);
  auto began = std::chrono::steady_clock::now();
  tbb::parallel_for(0, turns, [&](int i) {
    try_for_lock(file, i);
    take_turn();
  }, tbb::simple_partitioner());
  std::printf("%s\n", std::chrono::steady_clock::now() - began < long_for_all ? "in time" : "late");
}
