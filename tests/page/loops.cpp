// SPDX-License-Identifier: Apache-2.0
// Two loops of oneTBB's, the second in an arena of its own: in a report they are two regions, by these very lines.
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <unistd.h>

int main() {
  tbb::parallel_for(1, 51, [](int i) { usleep(i * 2'000); });  // the first loop
  tbb::task_arena arena(2);
  arena.execute([] {
    tbb::parallel_for(1, 31, [](int i) { usleep(i * 4'000); });  // the second loop
  });
}
