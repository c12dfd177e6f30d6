// SPDX-License-Identifier: Apache-2.0
#include "compute/task_kernels.h"

#include <tbb/parallel_sort.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>

#include "kit/checksum.h"

namespace {

std::uint64_t fib_serial(long n) {
  return n < 2 ? static_cast<std::uint64_t>(n) : fib_serial(n - 1) + fib_serial(n - 2);
}

std::uint64_t fib_openmp(long n, long cutoff) {
  if (n < 2 || n <= cutoff) return fib_serial(n);
  std::uint64_t left, right;
#pragma omp task shared(left) firstprivate(n, cutoff)
  left = fib_openmp(n - 1, cutoff);
#pragma omp task shared(right) firstprivate(n, cutoff)
  right = fib_openmp(n - 2, cutoff);
#pragma omp taskwait
  return left + right;
}

std::uint64_t fib_tbb(long n, long cutoff) {
  if (n < 2 || n <= cutoff) return fib_serial(n);
  std::uint64_t left, right;
  tbb::task_group group;
  group.run([&] { left = fib_tbb(n - 1, cutoff); });
  right = fib_tbb(n - 2, cutoff);
  group.wait();
  return left + right;
}

// A board as bits: columns taken, and diagonals taken in the next row.
struct Board {
  long n;
  unsigned columns = 0, falling = 0, rising = 0;

  unsigned free() const { return ~(columns | falling | rising) & ((1u << n) - 1); }
  bool full() const { return columns == (1u << n) - 1; }
  Board with(unsigned queen) const {
    return {n, columns | queen, (falling | queen) << 1, (rising | queen) >> 1};
  }
};

std::uint64_t queens_serial(const Board& board) {
  if (board.full()) return 1;
  std::uint64_t ways = 0;
  for (unsigned left = board.free(); left; left &= left - 1) ways += queens_serial(board.with(left & -left));
  return ways;
}

std::uint64_t queens_openmp(const Board& board, long depth, long cutoff) {
  if (depth >= cutoff || board.full()) return queens_serial(board);
  std::atomic<std::uint64_t> ways{0};
  for (unsigned left = board.free(); left; left &= left - 1) {
    const Board next = board.with(left & -left);
#pragma omp task shared(ways) firstprivate(next, depth, cutoff)
    ways += queens_openmp(next, depth + 1, cutoff);
  }
#pragma omp taskwait
  return ways;
}

std::uint64_t queens_tbb(const Board& board, long depth, long cutoff) {
  if (depth >= cutoff || board.full()) return queens_serial(board);
  std::atomic<std::uint64_t> ways{0};
  tbb::task_group group;
  for (unsigned left = board.free(); left; left &= left - 1) {
    const Board next = board.with(left & -left);
    group.run([&ways, next, depth, cutoff] { ways += queens_tbb(next, depth + 1, cutoff); });
  }
  group.wait();
  return ways;
}

using Values = std::uint64_t*;

void merge_halves(Values from, Values middle, Values to, Values space) {
  std::merge(from, middle, middle, to, space);
  std::copy(space, space + (to - from), from);
}

void sort_openmp(Values from, Values to, Values space, long cutoff) {
  if (to - from <= cutoff) return std::sort(from, to);
  const Values middle = from + (to - from) / 2;
#pragma omp task firstprivate(from, middle, space, cutoff)
  sort_openmp(from, middle, space, cutoff);
#pragma omp task firstprivate(from, middle, to, space, cutoff)
  sort_openmp(middle, to, space + (middle - from), cutoff);
#pragma omp taskwait
  merge_halves(from, middle, to, space);
}

// Local alignment (Smith and Waterman) with affine gaps (Gotoh): best score alone, a row at a time.
std::uint64_t alignment_score(const std::string& a, const std::string& b) {
  constexpr int match = 3, mismatch = -2, gap_open = 5, gap_extend = 1;
  std::vector<int> best(b.size() + 1, 0), gap_above(b.size() + 1, -gap_open);
  int top = 0;
  for (const char x : a) {
    int diagonal = 0, gap_left = -gap_open;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      gap_above[j] = std::max(gap_above[j] - gap_extend, best[j] - gap_open);
      gap_left = std::max(gap_left - gap_extend, best[j - 1] - gap_open);
      const int score = std::max({0, diagonal + (x == b[j - 1] ? match : mismatch), gap_above[j], gap_left});
      diagonal = best[j];
      best[j] = score;
      top = std::max(top, score);
    }
  }
  return static_cast<std::uint64_t>(top);
}

std::vector<std::string> sequences(long count, long length) {
  kit::Random random(11);
  std::vector<std::string> all(static_cast<std::size_t>(count));
  for (std::string& sequence : all) {
    for (long i = 0; i < length; ++i) sequence += "ARNDCQEGHILKMFPSTWYV"[random.below(20)];
  }
  return all;
}

// A ring of cells, each of which becomes what a rule makes of it and its neighbours.
using Cells = std::vector<std::uint64_t>;
using Rule = std::uint64_t (*)(std::uint64_t left, std::uint64_t cell, std::uint64_t right);

std::uint64_t mixed(std::uint64_t left, std::uint64_t cell, std::uint64_t right) { return kit::mix(left + 2 * cell + 3 * right); }
std::uint64_t turned(std::uint64_t left, std::uint64_t cell, std::uint64_t right) { return (cell << 7 | cell >> 57) ^ (left + right); }

void one_step(Rule rule, const Cells& from, Cells& to, std::size_t begin, std::size_t end) {
  const std::size_t last = from.size() - 1;
  for (std::size_t i = begin; i < end; ++i) to[i] = rule(from[i ? i - 1 : last], from[i], from[i < last ? i + 1 : 0]);
}

// Parts that differ in length, so that some threads wait for others.
std::size_t part_begin(std::size_t cells, std::size_t part, std::size_t parts) {
  return cells * part * (parts + part) / (2 * parts * parts);
}

void step_openmp(Rule rule, const Cells& from, Cells& to, std::size_t parts, bool as_loop) {
  if (as_loop) {
#pragma omp parallel for
    for (std::size_t part = 0; part < parts; ++part)
      one_step(rule, from, to, part_begin(from.size(), part, parts), part_begin(from.size(), part + 1, parts));
    return;
  }
#pragma omp parallel
#pragma omp single
  for (std::size_t part = 0; part < parts; ++part) {
#pragma omp task shared(from, to) firstprivate(rule, part, parts)
    one_step(rule, from, to, part_begin(from.size(), part, parts), part_begin(from.size(), part + 1, parts));
  }
}

void step_tbb(Rule rule, const Cells& from, Cells& to, std::size_t parts) {
  tbb::task_group group;
  for (std::size_t part = 0; part < parts; ++part)
    group.run([&, part] { one_step(rule, from, to, part_begin(from.size(), part, parts), part_begin(from.size(), part + 1, parts)); });
  group.wait();
}

}  // namespace

std::uint64_t steps(Tasking tasking, long count, long length, long parts) {
  constexpr Rule rules[] = {mixed, turned};
  Cells cells(static_cast<std::size_t>(length)), next(cells.size());
  kit::Random random(5);
  for (std::uint64_t& cell : cells) cell = random.next();
  const auto cut_in = static_cast<std::size_t>(parts);
  for (long step = 0; step < count; ++step) {
    const Rule rule = rules[cells[0] % 2];
    if (tasking == Tasking::serial) one_step(rule, cells, next, 0, cells.size());
    else if (tasking == Tasking::tbb) step_tbb(rule, cells, next, cut_in);
    else step_openmp(rule, cells, next, cut_in, step % 2);
    cells.swap(next);
  }
  return kit::hash(cells.data(), cells.size() * sizeof(std::uint64_t));
}

std::uint64_t fib(Tasking tasking, long n, long cutoff) {
  if (tasking == Tasking::serial) return fib_serial(n);
  if (tasking == Tasking::tbb) return fib_tbb(n, cutoff);
  std::uint64_t result = 0;
#pragma omp parallel
#pragma omp single
  result = fib_openmp(n, cutoff);
  return result;
}

std::uint64_t queens(Tasking tasking, long n, long cutoff) {
  const Board empty{n};
  if (tasking == Tasking::serial) return queens_serial(empty);
  if (tasking == Tasking::tbb) return queens_tbb(empty, 0, cutoff);
  std::uint64_t result = 0;
#pragma omp parallel
#pragma omp single
  result = queens_openmp(empty, 0, cutoff);
  return result;
}

void sort(Tasking tasking, std::vector<std::uint64_t>& values, long cutoff) {
  if (tasking == Tasking::serial) return std::sort(values.begin(), values.end());
  if (tasking == Tasking::tbb) return tbb::parallel_sort(values.begin(), values.end());
  std::vector<std::uint64_t> space(values.size());
#pragma omp parallel
#pragma omp single
  sort_openmp(values.data(), values.data() + values.size(), space.data(), cutoff);
}

std::uint64_t align_pairs(Tasking tasking, long count, long length) {
  const std::vector<std::string> all = sequences(count, length);
  std::atomic<std::uint64_t> sum{0};
  if (tasking == Tasking::tbb) {
    tbb::task_group group;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) group.run([&, i, j] { sum += alignment_score(all[i], all[j]); });
    }
    group.wait();
    return sum;
  }
#pragma omp parallel if (tasking == Tasking::openmp)
#pragma omp single
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
#pragma omp task shared(all, sum) firstprivate(i, j)
      sum += alignment_score(all[i], all[j]);
    }
  }
  return sum;
}
