// SPDX-License-Identifier: Apache-2.0
// A function's static whose initialization makes a call that waits, throws the first time, and is wanted by several
// threads at once. must count: lock_held
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

#include <unistd.h>

static int ends[2];
static int attempts = 0;

static int wait_for_it() {
  char c = 0;
  if (read(ends[0], &c, 1) != 1) throw std::runtime_error("nothing to read");
  if (++attempts == 1) throw std::runtime_error("the first attempt");
  return c;
}

extern "C" int value() {
  static int the_value = wait_for_it();
  return the_value;
}

extern "C" int run() {
  if (pipe(ends)) return 1;
  std::thread writer([] {
    for (char c : {'a', 'b', 'c'}) {
      usleep(20000);
      if (write(ends[1], &c, 1) != 1) return;
    }
  });
  try {
    std::printf("%c\n", value());
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
  }
  std::vector<std::thread> threads;
  int sums[4] = {};
  for (int& sum : sums) threads.emplace_back([&sum] { sum = value(); });
  for (std::thread& t : threads) t.join();
  std::printf("%c %c %c %c\n", sums[0], sums[1], sums[2], sums[3]);
  char c = 0;
  if (read(ends[0], &c, 1) == 1) std::printf("after it %c\n", c);
  writer.join();
  return 0;
}

#ifdef PROGRAM
int main() { return run(); }
#endif
