// SPDX-License-Identifier: Apache-2.0
// Tasks of one arena wait for what tasks of another write, and those for an answer: neither arena may need the other's
// workers to go on (oneTBB issue 1909).
// suspend: suspended >= 20
// auto: suspended >= 20 or lane == 'park'
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <array>
#include <atomic>
#include <vector>

#include "case.h"

int main() {
  constexpr int pairs = 100;
  std::vector<std::array<int, 2>> question(pairs), answer(pairs);
  for (int i = 0; i < pairs; ++i)
    if (pipe(question[i].data()) || pipe(answer[i].data())) std::abort();
  tbb::task_arena asking(2), answering(2);
  tbb::task_group askers, answerers;
  std::atomic<int> right{0};
  for (int i = 0; i < pairs; ++i)
    answering.execute([&, i] {
      answerers.run([&, i] {
        int value;
        check(read(question[i][0], &value, sizeof value) == sizeof value, "a question");
        value *= 2;
        check(write(answer[i][1], &value, sizeof value) == sizeof value, "an answer is sent");
      });
    });
  for (int i = 0; i < pairs; ++i)
    asking.execute([&, i] {
      askers.run([&, i] {
        wait_ms(1);
        int value = i;
        check(write(question[i][1], &value, sizeof value) == sizeof value, "a question is sent");
        check(read(answer[i][0], &value, sizeof value) == sizeof value, "an answer");
        if (value == 2 * i) ++right;
      });
    });
  std::thread other([&] { answering.execute([&] { answerers.wait(); }); });
  asking.execute([&] { askers.wait(); });
  other.join();
  std::printf("%d right\n", right.load());
}
