// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

#include <memory>

#include "items.h"

namespace shapes {
namespace {

std::uint64_t task_each(const Items& items) {
  std::uint64_t sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < items.files; ++i) {
#pragma omp task firstprivate(i) shared(sum)
    {
      const std::uint64_t one = items.one(i);
#pragma omp atomic
      sum += one;
    }
  }
  return sum;
}

std::uint64_t task_loop(const Items& items) {
  const auto files = static_cast<std::size_t>(items.files);
  std::uint64_t sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1) shared(sum)
  for (std::size_t i = 0; i < files; ++i) {
    const std::uint64_t one = items.one(static_cast<int>(i));
#pragma omp atomic
    sum += one;
  }
  return sum;
}

std::uint64_t below(const Items& items, int first, int end) {
  if (end - first == 1) return items.one(first);
  const int middle = first + (end - first) / 2;
  std::uint64_t left = 0, right = 0;
#pragma omp task shared(left)
  left = below(items, first, middle);
  right = below(items, middle, end);
#pragma omp taskwait
  return left + right;
}

std::uint64_t task_tree(const Items& items) {
  std::uint64_t sum = 0;
#pragma omp parallel
#pragma omp single
  sum = below(items, 0, items.files);
  return sum;
}

// One reads, and makes a task of each.
std::uint64_t task_reader(const Items& items) {
  std::uint64_t sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < items.files; ++i) {
    const auto content = std::make_shared<Bytes>(items.read(i));
#pragma omp task firstprivate(i, content) shared(sum)
    {
      const std::uint64_t one = items.work(i, *content);
#pragma omp atomic
      sum += one;
    }
  }
  return sum;
}

// A task reads, and one that depends on it computes.
std::uint64_t task_pairs(const Items& items) {
  std::vector<Bytes> contents(static_cast<std::size_t>(items.files));
  std::uint64_t sum = 0;
  Bytes* all = contents.data();
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < items.files; ++i) {
#pragma omp task depend(out : all[i]) firstprivate(i)
    all[i] = items.read(i);
#pragma omp task depend(in : all[i]) firstprivate(i) shared(sum)
    {
      const std::uint64_t one = items.work(i, all[i]);
      Bytes().swap(all[i]);
#pragma omp atomic
      sum += one;
    }
  }
  return sum;
}

// The same, but the reads are in turn.
std::uint64_t task_chain(const Items& items) {
  std::vector<Bytes> contents(static_cast<std::size_t>(items.files));
  std::uint64_t sum = 0;
  Bytes* all = contents.data();
  char turn = 0;
  (void)turn;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < items.files; ++i) {
#pragma omp task depend(inout : turn) depend(out : all[i]) firstprivate(i)
    all[i] = items.read(i);
#pragma omp task depend(in : all[i]) firstprivate(i) shared(sum)
    {
      const std::uint64_t one = items.work(i, all[i]);
      Bytes().swap(all[i]);
#pragma omp atomic
      sum += one;
    }
  }
  return sum;
}

}  // namespace

const std::vector<Shape>& openmp_task_shapes() {
  static const std::vector<Shape> all = {
      {"task-each", "a task a file", task_each, false},
      {"task-loop", "taskloop", task_loop, false},
      {"task-tree", "tasks that halve the work, taskwait", task_tree, false},
      {"task-reader", "single reads, and makes a task of each", task_reader, false},
      {"task-pairs", "a task reads, one that depends on it computes", task_pairs, false},
      {"task-chain", "the same, the reads one after the other", task_chain, false},
  };
  return all;
}

}  // namespace shapes
