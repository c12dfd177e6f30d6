// SPDX-License-Identifier: Apache-2.0
// Loops, sections, and regions whose threads take one item after the other.
#include <omp.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "items.h"

namespace shapes {
namespace {

std::uint64_t loop_static(const Items& items) {
  std::uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < items.files; ++i) sum += items.one(i);
  return sum;
}

std::uint64_t loop_dynamic(const Items& items) {
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < items.files; ++i) sum += items.one(i);
  return sum;
}

std::uint64_t loop_stdio(const Items& items) {
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < items.files; ++i) sum += items.work(i, items.read_stdio(i));
  return sum;
}

std::uint64_t loop_lines(const Items& items) {
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < items.files; ++i) sum += items.work(i, items.read_by_lines(i));
  return sum;
}

std::uint64_t loop_ordered(const Items& items) {
  std::uint64_t sum = 0;
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < items.files; ++i) {
    const std::uint64_t one = items.one(i);
#pragma omp ordered
    sum += one;
  }
  return sum;
}

// Each takes the next file, and reads it, with the others kept out.
std::uint64_t take_critical(const Items& items) {
  std::uint64_t sum = 0;
  int next = 0;
#pragma omp parallel reduction(+ : sum)
  while (true) {
    Bytes content;
    int i;
#pragma omp critical
    {
      i = next++;
      if (i < items.files) content = items.read(i);
    }
    if (i >= items.files) break;
    sum += items.work(i, content);
  }
  return sum;
}

std::uint64_t take_lock(const Items& items) {
  std::uint64_t sum = 0;
  int next = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel reduction(+ : sum)
  while (true) {
    Bytes content;
    omp_set_lock(&lock);
    const int i = next++;
    if (i < items.files) content = items.read(i);
    omp_unset_lock(&lock);
    if (i >= items.files) break;
    sum += items.work(i, content);
  }
  omp_destroy_lock(&lock);
  return sum;
}

std::uint64_t take_mutex(const Items& items) {
  std::uint64_t sum = 0;
  int next = 0;
  std::mutex mutex;
#pragma omp parallel reduction(+ : sum)
  while (true) {
    Bytes content;
    int i;
    {
      const std::lock_guard<std::mutex> guard(mutex);
      i = next++;
      if (i < items.files) content = items.read(i);
    }
    if (i >= items.files) break;
    sum += items.work(i, content);
  }
  return sum;
}

// A section reads the next file while another works on this one.
std::uint64_t sections(const Items& items) {
  std::uint64_t sum = 0;
  Bytes content = items.read(0);
  for (int i = 0; i < items.files; ++i) {
    Bytes next;
#pragma omp parallel sections
    {
#pragma omp section
      if (i + 1 < items.files) next = items.read(i + 1);
#pragma omp section
      sum += items.work(i, content);
    }
    content = std::move(next);
  }
  return sum;
}

// One thread reads the next batch while the others work on this one.
std::uint64_t double_buffer(const Items& items) {
  constexpr int batch = 8;
  std::uint64_t sum = 0;
  std::vector<Bytes> now(batch), next(batch);
  const auto fill = [&](std::vector<Bytes>& buffer, int from) {
    for (int j = 0; j < batch && from + j < items.files; ++j) buffer[static_cast<std::size_t>(j)] = items.read(from + j);
  };
  fill(now, 0);
  for (int from = 0; from < items.files; from += batch) {
    const int end = std::min(batch, items.files - from);
#pragma omp parallel
    {
#pragma omp master
      fill(next, from + batch);
#pragma omp for schedule(dynamic) reduction(+ : sum)
      for (int j = 0; j < end; ++j) sum += items.work(from + j, now[static_cast<std::size_t>(j)]);
    }
    std::swap(now, next);
  }
  return sum;
}

// A batch is read by one loop and worked on by the next.
std::uint64_t batches(const Items& items) {
  constexpr int batch = 16;
  std::uint64_t sum = 0;
  std::vector<Bytes> content(batch);
  for (int from = 0; from < items.files; from += batch) {
    const int end = std::min(batch, items.files - from);
#pragma omp parallel for
    for (int j = 0; j < end; ++j) content[static_cast<std::size_t>(j)] = items.read(from + j);
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (int j = 0; j < end; ++j) sum += items.work(from + j, content[static_cast<std::size_t>(j)]);
  }
  return sum;
}

std::uint64_t on_parts(const Items& items, int index, const Bytes& content) {
  std::uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int part = 0; part < parts; ++part) sum += items.work_on_part(index, content, part, parts);
  return sum;
}

// One file after the other, and a loop over each.
std::uint64_t inner_loops(const Items& items) {
  std::uint64_t sum = 0;
  for (int i = 0; i < items.files; ++i) sum += on_parts(items, i, items.read(i));
  return sum;
}

// A thread of the program's own reads ahead of a team.
std::uint64_t reader_thread(const Items& items) {
  constexpr std::size_t most = 8;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::pair<int, Bytes>> queue;
  bool ended = false;
  std::thread reader([&] {
    for (int i = 0; i < items.files; ++i) {
      Bytes content = items.read(i);
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return queue.size() < most; });
      queue.emplace_back(i, std::move(content));
      changed.notify_all();
    }
    const std::lock_guard<std::mutex> lock(mutex);
    ended = true;
    changed.notify_all();
  });
  std::uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
  while (true) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return ended || !queue.empty(); });
    if (queue.empty()) break;
    const auto [i, content] = std::move(queue.front());
    queue.pop_front();
    changed.notify_all();
    lock.unlock();
    sum += items.work(i, content);
  }
  reader.join();
  return sum;
}

}  // namespace

const std::vector<Shape>& openmp_loop_shapes() {
  static const std::vector<Shape> all = {
      {"loop", "omp for", loop_static, false},
      {"loop-dynamic", "omp for schedule(dynamic)", loop_dynamic, false},
      {"loop-stdio", "the same, by fread", loop_stdio, false},
      {"loop-lines", "the same, by std::getline", loop_lines, false},
      {"loop-ordered", "the same, results in order", loop_ordered, false},
      {"take-critical", "each reads the next in a critical section", take_critical, false},
      {"take-lock", "each reads the next under omp_set_lock", take_lock, false},
      {"take-mutex", "each reads the next under a std::mutex", take_mutex, false},
      {"sections", "one section reads, one computes, a region a file", sections, false},
      {"double-buffer", "master reads the next eight, a region for eight", double_buffer, false},
      {"batches", "a loop reads sixteen, the next computes", batches, false},
      {"inner-loops", "each file by a loop over its parts", inner_loops, true},
      {"reader-thread", "a std::thread reads, a team computes", reader_thread, false},
  };
  return all;
}

}  // namespace shapes
