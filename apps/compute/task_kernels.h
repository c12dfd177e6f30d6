// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

// Programs of tasks in the manner of the Barcelona OpenMP Tasks Suite, each in plain, OpenMP and oneTBB form.
// `cutoff`: where a kernel stops making tasks.
enum class Tasking { serial, openmp, tbb };

std::uint64_t fib(Tasking tasking, long n, long cutoff);

// How many ways n queens stand on an n by n board without threatening each other.
std::uint64_t queens(Tasking tasking, long n, long cutoff);

// Sorts by merging halves; oneTBB: parallel_sort.
void sort(Tasking tasking, std::vector<std::uint64_t>& values, long cutoff);

// The sum over all pairs of `count` protein-like sequences of their best local alignment score: a task a
// pair.
std::uint64_t align_pairs(Tasking tasking, long count, long length);

// So many short steps, each of all `length` cells of a ring, cut in `parts`: by turns a parallel loop, and tasks in a region of their own.
std::uint64_t steps(Tasking tasking, long count, long length, long parts);
