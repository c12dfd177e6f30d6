// SPDX-License-Identifier: Apache-2.0
// Two loops of oneTBB's, the second in an arena of its own: in a report they are two regions, by these very lines.
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <unistd.h>

int main() {
  tbb::parallel_for(0, 50, [](int) { usleep(20'000); });  // 50 calls
  tbb::task_arena arena(2);
  arena.execute([] {
    tbb::parallel_for(0, 30, [](int) { usleep(20'000); });  // 30 calls
  });
}
