// SPDX-License-Identifier: Apache-2.0
#include "wavefront.h"

#include <tbb/parallel_for_each.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

#include "kit/runtimes.h"

namespace smith_waterman {

namespace {

using Place = std::pair<std::size_t, std::size_t>;

// How many neighbours each cell still waits for.
class Waiting {
 public:
  explicit Waiting(const Front& grid) : grid_(grid), counts_(grid.down * grid.across) {
    for (std::size_t d = 0; d < grid.down; ++d) {
      for (std::size_t a = 0; a < grid.across; ++a) counts_[d * grid.across + a] = (d != 0) + (a != 0);
    }
  }

  // `place` is done: calls `ready` for each neighbour that now may begin. Whoever takes the last count away
  // sees what the one before it wrote: acq_rel on both sides.
  template <class Ready>
  void done(Place place, const Ready& ready) {
    const auto [d, a] = place;
    for (const Place& next : {Place{d + 1, a}, Place{d, a + 1}}) {
      if (next.first == grid_.down || next.second == grid_.across) continue;
      auto& count = counts_[next.first * grid_.across + next.second];
      if (count.fetch_sub(1, std::memory_order_acq_rel) == 1) ready(next);
    }
  }

 private:
  const Front& grid_;
  std::vector<std::atomic<int>> counts_;
};

void by_threads(const Front& grid, unsigned threads) {
  Waiting waiting(grid);
  std::mutex mutex;
  std::condition_variable changed;
  std::queue<Place> ready({{0, 0}});
  std::size_t left = grid.down * grid.across;
  const auto work = [&] {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return left == 0 || !ready.empty(); });
      if (left == 0) return;
      const Place place = ready.front();
      ready.pop();
      lock.unlock();
      grid.cell(place.first, place.second);
      lock.lock();
      waiting.done(place, [&](Place next) { ready.push(next); });
      --left;
      changed.notify_all();
    }
  };
  std::vector<std::thread> team;
  for (unsigned i = 0; i < (threads != 0 ? threads : std::thread::hardware_concurrency()); ++i)
    team.emplace_back(work);
  for (std::thread& thread : team) thread.join();
}

void by_openmp(const Front& grid) {
  const std::size_t diagonals = grid.down + grid.across - 1;
  for (std::size_t diagonal = 0; diagonal < diagonals; ++diagonal) {
    const std::size_t first = diagonal >= grid.across ? diagonal - grid.across + 1 : 0;
    const std::size_t last = std::min(diagonal, grid.down - 1);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t d = first; d <= last; ++d) grid.cell(d, diagonal - d);
  }
}

void by_openmp_tasks(const Front& grid) {
  // An address a cell for depend(); those of the row above and the column to the left of the grid nobody
  // writes.
  const std::size_t width = grid.across + 1;
  std::vector<char> marks((grid.down + 1) * width);
  [[maybe_unused]] char* const mark = marks.data() + width + 1;
#pragma omp parallel
#pragma omp single
  for (std::size_t d = 0; d < grid.down; ++d) {
    for (std::size_t a = 0; a < grid.across; ++a) {
      [[maybe_unused]] char *const here = mark + d * width + a, *const up = here - width,
                                   *const left = here - 1;
#pragma omp task firstprivate(d, a) shared(grid) depend(in : *up, *left) depend(out : *here)
      grid.cell(d, a);
    }
  }
}

void by_tbb(const Front& grid) {
  Waiting waiting(grid);
  const std::array<Place, 1> first{{{0, 0}}};
  tbb::parallel_for_each(first, [&](Place place, tbb::feeder<Place>& feeder) {
    grid.cell(place.first, place.second);
    waiting.done(place, [&](Place next) { feeder.add(next); });
  });
}

}  // namespace

bool parse_way(std::string_view name, Way& way) {
  constexpr std::pair<std::string_view, Way> ways[] = {
      {"serial", Way::serial}, {"threads", Way::threads},           {"async", Way::async},
      {"openmp", Way::openmp}, {"openmp-tasks", Way::openmp_tasks}, {"tbb", Way::tbb}};
  for (const auto& [known, value] : ways) {
    if (name == known) {
      way = value;
      return true;
    }
  }
  return false;
}

void wavefront(Way way, unsigned threads, std::size_t down, std::size_t across, const Cell& cell) {
  if (down == 0 || across == 0) return;
  if (threads != 0) omp_set_num_threads(static_cast<int>(threads));
  const Front grid{down, across, cell};
  switch (way) {
    case Way::serial:
      for (std::size_t d = 0; d < down; ++d) {
        for (std::size_t a = 0; a < across; ++a) cell(d, a);
      }
      return;
    case Way::threads:
      return by_threads(grid, threads);
    case Way::async:
      return by_async(grid);
    case Way::openmp:
      return by_openmp(grid);
    case Way::openmp_tasks:
      return by_openmp_tasks(grid);
    case Way::tbb:
      return kit::in_arena(threads, [&] { by_tbb(grid); });
  }
}

}  // namespace smith_waterman
