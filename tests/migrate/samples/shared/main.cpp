// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <thread>

#include "jobs.h"

int main() {
  Jobs jobs;
  auto first = jobs.add(1);
  auto second = jobs.add(2);
  std::thread runner(&Jobs::run, &jobs);
  std::printf("%d %d %d\n", first.get(), second.get(), later(5).get());
  runner.join();
}
