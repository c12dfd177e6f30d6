// SPDX-License-Identifier: Apache-2.0
#include "jobs.h"

std::future<int> Jobs::add(int input) {
  jobs_.push_back({});
  jobs_.back().input = input;
  return jobs_.back().done.get_future();
}

void Jobs::run() {
  for (Job& job : jobs_) job.done.set_value(later(job.input * 10).get());
}
