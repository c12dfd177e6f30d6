// SPDX-License-Identifier: Apache-2.0
// Each thread gathers in a container of its own, with room made for some before the loop, and joins it to one of all.
#include <time.h>

#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <vector>

static void wait() {
  timespec moment{0, 100000};
  nanosleep(&moment, nullptr);
}

static std::vector<long> gathered(unsigned expected) {
  std::vector<long> all;
#pragma omp parallel
  {
    std::vector<long> mine;
    mine.reserve(expected);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 200; ++i) {
      wait();
      if (i % 3) mine.push_back(i);
    }
#pragma omp critical
    all.insert(all.end(), mine.begin(), mine.end());
  }
  return all;
}

static std::map<std::string, int> counted() {
  std::map<std::string, int> all;
#pragma omp parallel
  {
    std::map<std::string, int> mine;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 200; ++i) {
      wait();
      ++mine["a word of some length, " + std::to_string(i % 7)];
    }
#pragma omp critical
    for (const auto& [word, count] : mine) all[word] += count;
  }
  return all;
}

static long summed_beside_a_buffer(int elements) {
  long all = 0;
#pragma omp parallel reduction(+ : all)
  {
    std::vector<double> buffer(elements);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < elements; ++i) {
      wait();
      buffer[i % elements] = i;
      all += static_cast<long>(buffer[i % elements]);
    }
  }
  return all;
}

int main(int count, char**) {
  std::vector<long> all = gathered(16 * static_cast<unsigned>(count));
  std::printf("%zu %ld\n", all.size(), std::accumulate(all.begin(), all.end(), 0L));
  std::printf("%ld\n", summed_beside_a_buffer(200 * count));
  for (const auto& [word, times] : counted()) std::printf("%s: %d\n", word.c_str(), times);
}
