// SPDX-License-Identifier: Apache-2.0
// outside TASKS: untied tasks in several parts, each by whatever thread takes it. Every part is done once, in order.
#include <omp.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  constexpr int threads = 4, parts_each = 3;
  const int tasks = argc > 1 ? std::atoi(argv[1]) : 1;
  std::atomic<long> parts{0}, out_of_order{0};
#pragma omp parallel num_threads(threads)
  for (int creator = 0; creator < threads; ++creator) {
    if (omp_get_thread_num() == creator) {
      for (int i = 0; i < tasks; ++i) {
#pragma omp task untied shared(parts, out_of_order)
        {
          int mine = 0;
          for (int part = 0; part < parts_each; ++part) {
            if (mine++ != part) ++out_of_order;
            ++parts;
            const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
            while (std::chrono::steady_clock::now() < until) {}
#pragma omp taskyield
          }
        }
      }
    }
#pragma omp barrier
  }
  std::printf("parts %ld out of order %ld\n", parts.load(), out_of_order.load());
  return 0;
}
