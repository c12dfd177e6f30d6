// SPDX-License-Identifier: Apache-2.0
// A task that is not deferred, by gcc, with a copy of an object: it gets the copy, as with gcc's own library.
#include <cstdio>

struct Number {
  unsigned long value;
};
[[gnu::noinline]] unsigned long of(Number n) { return n.value; }

int main() {
  unsigned long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 3; ++i) {
    Number n{42ul + i};
    bool now = i == 1;
#pragma omp task shared(sum) firstprivate(n) if (!now)
    {
#pragma omp atomic
      sum += of(n);
    }
  }
  std::printf("sum %lu\n", sum);
}
