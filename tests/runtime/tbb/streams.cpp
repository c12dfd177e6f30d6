// SPDX-License-Identifier: Apache-2.0
// std::ifstream and FILE* inside tasks, on pipes whose lines come slowly.
// suspend: suspended + parked >= 1
// auto: suspended + parked >= 1
// park: parked >= 1
#include <fcntl.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "case.h"

int main() {
  constexpr int streams = 10, lines = 5;
  std::vector<std::unique_ptr<SlowPipe>> pipes;
  for (int i = 0; i < 2 * streams; ++i) pipes.push_back(std::make_unique<SlowPipe>(lines, 3));
  std::atomic<int> right{0};
  tbb::task_group group;
  for (int i = 0; i < streams; ++i) {
    group.run([&, i] {
      std::ifstream in("/dev/fd/" + std::to_string(pipes[i]->fd()));
      std::string line;
      for (int k = 0; std::getline(in, line); ++k)
        if (line == "line " + std::to_string(k)) ++right;
    });
    group.run([&, i] {
      FILE* in = fdopen(dup(pipes[streams + i]->fd()), "r");
      char line[32];
      for (int k = 0; std::fgets(line, sizeof line, in); ++k)
        if (line == "line " + std::to_string(k) + "\n") ++right;
      std::fclose(in);
    });
  }
  group.wait();
  std::printf("%d of %d\n", right.load(), 2 * streams * lines);
}
