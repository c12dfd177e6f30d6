// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <atomic>

#include "case.h"

// What the programs of both run-times here share: a loop of oneTBB's, each pass a task, and what a pass does.
inline std::atomic<long> sum{0};

template <typename Body>
void in_onetbb(int count, Body body) {
  tbb::parallel_for(tbb::blocked_range<int>(0, count, 1), [=](tbb::blocked_range<int> part) {
    for (int i = part.begin(); i != part.end(); ++i) body(i);
  });
}

inline void add(int i) {
  if (wait_us(300)) sum += i;
}
