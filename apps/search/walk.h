// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/task_group.h>

#include <string>

#include "kit/runtimes.h"
#include "search/tree.h"

// Calls found(path) for each file below a folder, in a task of its own, as soon as the folder that holds it has been read:
// a folder is a task that makes those of what lies in it.
template <typename Found>
void walk_in_openmp(const std::string& folder, const Found& found) {
  Folder here = read_folder(folder);
  for (const std::string& path : here.folders) {
#pragma omp task firstprivate(path) shared(found)
    walk_in_openmp(path, found);
  }
  for (const std::string& path : here.files) {
#pragma omp task firstprivate(path) shared(found)
    found(path);
  }
}

template <typename Found>
void walk_in_group(const std::string& folder, const Found& found, tbb::task_group& group) {
  Folder here = read_folder(folder);
  for (const std::string& path : here.folders)
    group.run([path, &found, &group] { walk_in_group(path, found, group); });
  for (const std::string& path : here.files) group.run([path, &found] { found(path); });
}

// The same for all below `root`, however the runtime does it; loops read the folders first.
template <typename Found>
void for_each_file(const std::string& root, kit::Runtime runtime, unsigned threads, const Found& found) {
  if (runtime == kit::Runtime::openmp_tasks) {
    if (threads > 0) omp_set_num_threads(static_cast<int>(threads));
#pragma omp parallel
#pragma omp single
    walk_in_openmp(root, found);
    return;
  }
  if (runtime == kit::Runtime::tbb || runtime == kit::Runtime::tbb_pieces) {
    kit::in_arena(threads, [&] {
      tbb::task_group group;
      group.run_and_wait([&] { walk_in_group(root, found, group); });
    });
    return;
  }
  const std::vector<std::string> files = files_below(root, runtime, threads);
  const auto visit = [&](std::int64_t i) {
    found(files[static_cast<std::size_t>(i)]);
    return std::uint64_t{0};
  };
  kit::sum_over<false>(runtime, static_cast<std::int64_t>(files.size()), visit, threads);
}
