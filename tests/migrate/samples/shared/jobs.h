// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <vector>

struct Job {
  std::promise<int> done;
  int input = 0;
};

class Jobs {
 public:
  std::future<int> add(int input);
  void run();

 private:
  std::vector<Job> jobs_;
};

inline std::future<int> later(int x) {
  return std::async(std::launch::async, [x] { return x + 1; });
}
