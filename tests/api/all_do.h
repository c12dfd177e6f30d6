// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weir/future.hpp"

// So many tasks of the pool do the same; all are waited for.
template <typename Task>
void all_do(int tasks, Task task) {
  std::vector<weir::future<void>> all;
  for (int i = 0; i < tasks; ++i) all.push_back(weir::async(task));
  for (auto& one : all) one.get();
}
