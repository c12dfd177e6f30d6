// SPDX-License-Identifier: Apache-2.0
// Tasks that look at errno before and behind calls that wait and succeed, and others that don't; some hold a mutex over a call, so that
// threads are idle.
// suspend: suspended >= 40 and parked >= 120
// auto: suspended >= 40 and parked >= 120
// park: parked >= 200 and suspended == 0
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <mutex>

#include "case.h"

namespace {

// So many of its four errors were found.
int found(int task) {
  char byte;
  errno = 0;
  int right = close(-1) < 0 && errno == EBADF;
  right += !wait_us(200 + task % 7 * 50) ? -10 : 0;
  errno = 0;
  right += std::strtol("99999999999999999999", nullptr, 10) > 0 && errno == ERANGE;
  right += !wait_us(300 - task % 5 * 40) ? -10 : 0;
  right += read(-1, &byte, 1) < 0 && errno == EBADF;
  errno = EDOM;
  right += !wait_us(100) ? -10 : 0;
  right += errno == EDOM;
  return right;
}

}  // namespace

int main() {
  std::mutex mutex;
  int sum = 0;
  tbb::parallel_for(tbb::blocked_range<int>(0, 80, 1), [&](const tbb::blocked_range<int>& range) {
    for (int i = range.begin(); i < range.end(); ++i) {
      wait_us(100);
      int right = i % 2 ? found(i) : 0;
      std::lock_guard<std::mutex> lock(mutex);
      sum += right;
      wait_us(200);
    }
  }, tbb::simple_partitioner());
  std::printf("%d of 160 right\n", sum);
}
