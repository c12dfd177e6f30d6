// SPDX-License-Identifier: Apache-2.0
// Tasks read from one FILE. What one of them brings is the others' too, and lies in the FILE's buffer: no more comes at its
// descriptor, a pipe's, until all have had their part.
// auto: suspended >= 1 or lane == 'park'
// suspend: suspended >= 1
#include <oneapi/tbb/task_group.h>

#include <cstring>

#include "case.h"

namespace {

constexpr int rounds = 20, readers = 8;

}  // namespace

int main() {
  int ends[2];
  if (pipe(ends)) std::abort();
  FILE* in = fdopen(ends[0], "r");
  for (int i = 0; i < rounds; ++i) {
    std::thread writer([&] {
      usleep(10'000);
      const char all[] = "1\n2\n3\n4\n5\n6\n7\n8\n";
      if (write(ends[1], all, std::strlen(all)) < 0) std::abort();
    });
    std::atomic<int> sum{0};
    tbb::task_group group;
    for (int k = 0; k < readers; ++k)
      group.run([&] {
        char line[16];
        if (std::fgets(line, sizeof line, in)) sum += std::atoi(line);
      });
    group.wait();
    writer.join();
    std::printf("%d\n", sum.load());
  }
  std::fclose(in);
  close(ends[1]);
}
