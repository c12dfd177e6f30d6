// SPDX-License-Identifier: Apache-2.0
// affinity_partitioner asks twice how many threads there are, once for what it divides by and once for the table that it
// numbers pieces in: both answers are the same, however many loops there were and whatever has waited meanwhile.
// suspend: suspended >= 10
// park: suspended == 0
// suspend WEIR_STAND_INS=1: suspended >= 10
#include <dlfcn.h>
#include <oneapi/tbb/parallel_for.h>

#include <thread>
#include <vector>

#include "case.h"

namespace {

using Question = int(const void*);
thread_local std::vector<int>* answers = nullptr;

// Asked between the two questions: the program's own call waits meanwhile.
thread_local bool waits_between = false;

bool loop_agrees(int leaves, bool waits) {
  std::vector<int> heard;
  tbb::affinity_partitioner before;
  answers = &heard;
  tbb::parallel_for(0, leaves, [&](int) { if (waits) wait_ms(2); }, before);
  answers = nullptr;
  for (int answer : heard)
    if (answer != heard[0]) return false;
  return heard.size() == 2;
}

}  // namespace

extern "C" int _ZN3tbb6detail2r115max_concurrencyEPKNS0_2d115task_arena_baseE(const void* arena) {
  static auto* next = reinterpret_cast<Question*>(
      dlsym(RTLD_NEXT, "_ZN3tbb6detail2r115max_concurrencyEPKNS0_2d115task_arena_baseE"));
  int said = next(arena);
  if (!answers) return said;
  answers->push_back(said);
  if (waits_between && answers->size() == 1) std::thread([] { wait_ms(2); }).join();
  return said;
}

int main() {
  int apart = 0;
  tbb::parallel_for(0, 10, [](int) {});
  for (int loop = 0; loop < 8; ++loop) apart += !loop_agrees(10, false);
  waits_between = true;
  apart += !loop_agrees(10, false);
  waits_between = false;
  for (int loop = 0; loop < 8; ++loop) apart += !loop_agrees(100, true);
  std::printf("%d loops told two numbers\n", apart);
}
