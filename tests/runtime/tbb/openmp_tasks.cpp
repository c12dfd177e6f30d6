// SPDX-License-Identifier: Apache-2.0
// Tasks of OpenMP's run loops of oneTBB. What waits within both is not set aside: what libtbb keeps of a task is the thread's.
// auto: lane_reason == 'thread_bound' and parked >= 50
// park: suspended == 0 and parked >= 100
#include "with_openmp.h"

namespace {

constexpr long of_one = 5 * (40 * 39 / 2), of_ten = 5 * (40 * 39 / 2 + 10 * 45);

void loops_in_tasks(int loop) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 40; ++i) {
#pragma omp task firstprivate(i)
    {
      add(i);
      if (i % 4 == 0) in_onetbb(loop, add);
    }
  }
}

}  // namespace

int main() {
  for (int round = 0; round < 5; ++round) loops_in_tasks(1);
  for (int round = 0; round < 5; ++round) loops_in_tasks(10);
  std::printf("%s\n", sum == of_one + of_ten ? "well" : "not all");
}
