// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "meter/counters.h"

namespace weir::meter {

// Which code regions run now, as one number: 0 none, else a name for the set of them. The controller keeps what it
// learned by it. Runtimes say where a region begins and ends: OpenMP by the address of its code, oneTBB by the place at
// which a thread of the program came into libtbb (of_tbb).
//
// The sum of scrambled names: entering and leaving in any order, from any threads, gives the same number for the same
// set, and one region running twice is another set than running once. Each thread keeps its own part of it: one word for all would
// make it wait, twice a region, until what it wrote for its team is no longer in the other threads' caches.
class Regions {
 public:
  void enter(std::uint64_t name) {
    if (auto* tell = on_edge.load(std::memory_order_relaxed); tell && !now()) tell(true);
    latest_.store(name, std::memory_order_relaxed);
    add(scrambled(name));
  }
  void leave(std::uint64_t name) {
    if (auto* tell = on_edge.load(std::memory_order_relaxed); tell && now() == scrambled(name)) tell(false);
    add(-scrambled(name));
  }
  // The one that was entered last, whether it runs still or not; 0: none ever was.
  std::uint64_t latest() const { return latest_.load(std::memory_order_relaxed); }
  std::uint64_t now() const { return sum_of_regions(); }

  // Called, by whoever enters (true) or leaves, when none ran before or none will after: for whoever records.
  std::atomic<void (*)(bool entering)> on_edge{nullptr};

 private:
  static void add(std::uint64_t name) {
    std::atomic<std::uint64_t>& sum = mine().regions;
    sum.store(sum.load(std::memory_order_relaxed) + name, std::memory_order_relaxed);
  }
  static std::uint64_t scrambled(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31) ^ 1;
  }
  std::atomic<std::uint64_t> latest_{0};
};
extern Regions regions;

// Names that are addresses of code, told apart by a bit that no address has.
constexpr std::uint64_t tbb_mark = 1ull << 63;
inline std::uint64_t of_tbb(const void* called_from) { return reinterpret_cast<std::uintptr_t>(called_from) | tbb_mark; }

}  // namespace weir::meter
