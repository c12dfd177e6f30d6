// SPDX-License-Identifier: Apache-2.0
// Four hundred tasks wait, each at a pipe of its own, and are answered one after another, sooner than two threads can go on with
// them: none waits much longer than those answered beside it, though libtbb has a list of tasks to resume for each slot of an arena.
// suspend: suspended >= 400
// auto: suspended >= 400
// park: not suspended
#include <oneapi/tbb/task_group.h>

#include <cstdlib>
#include <vector>

#include "case.h"

namespace {

constexpr int tasks = 400;

struct Round {
  int over = 0;
  long away = 0;  // on average, from its place in the order; 0 where they were not all aside
};

Round round() {
  std::vector<int> from(tasks), to(tasks), place(tasks);
  for (int i = 0; i < tasks; ++i) {
    int ends[2];
    check(!pipe(ends), "a pipe");
    from[i] = ends[0];
    to[i] = ends[1];
  }
  std::atomic<int> begun{0}, answered{0}, over{0};
  bool all_aside = false;
  std::thread answers([&] {
    for (int before = 0, still = 0; begun < tasks && still < 500; ++still) {  // bare, those that could begin the next ones wait
      if (before != begun) still = 0;
      before = begun;
      usleep(1000);
    }
    usleep(10'000);  // the last one is aside too
    all_aside = begun == tasks;
    for (int end : to) check(write(end, "x", 1) == 1, "an answer");
  });
  tbb::task_group group;
  for (int i = 0; i < tasks; ++i) {
    group.run([&, i] {
      ++begun;
      char c = 0;
      check(read(from[i], &c, 1) == 1 && c == 'x', "the answer");
      place[i] = answered++;
      compute(100'000);
      ++over;
    });
  }
  group.wait();
  answers.join();
  for (int end : from) close(end);
  for (int end : to) close(end);
  long away = 0;
  for (int i = 0; i < tasks; ++i) away += std::abs(place[i] - i);
  return {over.load(), all_aside ? away / tasks : 0};
}

}  // namespace

// A host that takes a core away for long mixes a round up: then it is another's turn.
int main() {
  Round last;
  for (int rounds = 0; rounds < 3 && (rounds == 0 || last.away >= tasks / 10); ++rounds) last = round();
  check(last.away < tasks / 10, "in the order in which they were answered");
  std::printf("%d over\n", last.over);
}
