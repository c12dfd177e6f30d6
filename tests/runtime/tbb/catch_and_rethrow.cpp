// SPDX-License-Identifier: Apache-2.0
// A call inside a catch block, then `throw;`, also two blocks deep, while other tasks throw and catch on the same threads.
// suspend: suspended >= 100
// auto: suspended >= 100
// park: parked >= 100
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include "case.h"

namespace {

int nested(int i) {
  try {
    try {
      throw std::runtime_error(std::to_string(i));
    } catch (const std::runtime_error&) {
      wait_ms(1 + i % 3);
      try {
        throw i;
      } catch (int inner) {
        wait_ms(1);
        if (inner != i || std::current_exception() == nullptr) return -1;
      }
      wait_ms(1);
      throw;
    }
  } catch (const std::runtime_error& outer) {
    return std::stoi(outer.what());
  }
}

}  // namespace

int main() {
  std::atomic<int> wrong{0};
  tbb::task_group group;
  for (int i = 0; i < 100; ++i)
    group.run([i, &wrong] {
      if (nested(i) != i || std::uncaught_exceptions() != 0 || std::current_exception()) ++wrong;
    });
  group.wait();
  std::printf("%d of 100 wrong\n", wrong.load());
}
