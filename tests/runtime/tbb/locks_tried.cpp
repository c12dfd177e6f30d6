// SPDX-License-Identifier: Apache-2.0
// Tasks that try for a file's lock for a time, as SQLite does, which keeps its own threads off by itself: a process's lock is had by all
// of them. With no more at it than bare, each gets it.
// auto: fallbacks.get("few_at_once", 0) >= 20
// park: fallbacks.get("few_at_once", 0) >= 20
#include <fcntl.h>
#include <oneapi/tbb/parallel_for.h>
#include <unistd.h>

#include <cstdlib>

#include "case.h"

namespace {

std::atomic<bool> is_held{false};

bool try_for(int file) {
  if (is_held.exchange(true)) return false;
  struct flock whole {};
  whole.l_type = F_WRLCK;
  check(!fcntl(file, F_SETLK, &whole), "a lock");
  return true;
}

void let_go(int file) {
  struct flock whole {};
  whole.l_type = F_UNLCK;
  check(!fcntl(file, F_SETLK, &whole), "no lock");
  is_held.store(false);
}

bool written(int file) {
  constexpr int most_tries = 150;
  for (int i = 0; i < most_tries; ++i, usleep(1000)) {
    if (!try_for(file)) continue;
    usleep(2000);  // what it writes depends on what comes from elsewhere
    let_go(file);
    return true;
  }
  return false;
}

}  // namespace

int main() {
  char name[] = "/tmp/weir-locks-tried-XXXXXX";
  int file = mkstemp(name);
  check(file >= 0, "a file");
  unlink(name);
  std::atomic<int> got{0};
  tbb::parallel_for(0, 300, [&](int i) {
    if (i) usleep(1000);  // it may be set aside, until somebody tries
    got += written(file);
  }, tbb::simple_partitioner());
  std::printf("got it: %d\n", got.load());
}
