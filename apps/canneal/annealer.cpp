// SPDX-License-Identifier: Apache-2.0
#include "annealer.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

namespace canneal {

namespace {

// SplitMix64 (Steele, Lea and Flood 2014): a number drawn is a function of a place in the sequence, so that
// threads may draw theirs without a shared generator.
std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

struct Random {
  std::uint64_t state;
  std::uint64_t next() { return mix(state++); }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
};

double fraction(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

std::int64_t distance(Place a, Place b) { return std::abs(a.x - b.x) + std::abs(a.y - b.y); }

// What the nets of `element` get longer by when it moves to `to` and `other` to where it was.
std::int64_t change(const Netlist& netlist, const Placement& placement, std::size_t element,
                    std::size_t other) {
  const Place from = placement[element], to = placement[other];
  std::int64_t change = 0;
  for (const std::uint32_t peer : netlist.neighbours(element)) {
    if (peer == other || peer == element) continue;  // the net between the two keeps its length
    change += distance(to, placement[peer]) - distance(from, placement[peer]);
  }
  return change;
}

struct Swap {
  std::uint32_t a, b;
  std::uint64_t chance;
  bool taken;
};

void judge(const Netlist& netlist, const Placement& placement, double temperature, Swap& swap) {
  const auto delta = change(netlist, placement, swap.a, swap.b) + change(netlist, placement, swap.b, swap.a);
  swap.taken = delta < 0 || fraction(swap.chance) < std::exp(-static_cast<double>(delta) / temperature);
}

// Draws swaps of which no two touch the same element. `drawn` marks an element with the batch that drew it
// last.
class Proposals {
 public:
  Proposals(std::size_t elements, std::uint64_t seed) : random_{mix(seed)}, drawn_(elements, 0) {}

  void draw(std::size_t count, std::vector<Swap>& swaps) {
    ++batch_;
    swaps.clear();
    while (swaps.size() < count) {
      const std::uint32_t a = fresh();
      swaps.push_back({a, fresh(), random_.next(), false});
    }
  }

 private:
  std::uint32_t fresh() {
    std::size_t element = random_.below(drawn_.size());
    while (drawn_[element] == batch_) element = random_.below(drawn_.size());
    drawn_[element] = batch_;
    return static_cast<std::uint32_t>(element);
  }

  Random random_;
  std::vector<std::uint64_t> drawn_;
  std::uint64_t batch_ = 0;
};

}  // namespace

Placement random_placement(const Netlist& netlist, std::uint64_t seed) {
  Placement places;
  places.reserve(std::size_t{netlist.max_x} * netlist.max_y);
  for (std::uint32_t y = 0; y < netlist.max_y; ++y) {
    for (std::uint32_t x = 0; x < netlist.max_x; ++x)
      places.push_back({static_cast<std::int32_t>(x), static_cast<std::int32_t>(y)});
  }
  Random random{mix(seed ^ 0x706c616365u)};
  for (std::size_t e = 0; e < netlist.size(); ++e)
    std::swap(places[e], places[e + random.below(places.size() - e)]);
  places.resize(netlist.size());
  return places;
}

std::uint64_t routing_cost(const Netlist& netlist, const Placement& placement) {
  std::uint64_t twice = 0;
  for (std::size_t e = 0; e < netlist.size(); ++e) {
    for (const std::uint32_t peer : netlist.neighbours(e))
      twice += static_cast<std::uint64_t>(distance(placement[e], placement[peer]));
  }
  return twice / 2;
}

void anneal(const Netlist& netlist, const Schedule& schedule, Placement& placement, const ForEach& for_each,
            const std::function<void(int step)>& progress) {
  if (netlist.size() < 2) return;
  constexpr std::size_t grain = 256;  // swaps judged in one call
  // Half of the elements at most, or the draw of fresh ones would not end.
  const std::size_t batch =
      std::clamp<std::size_t>(schedule.batch, 1, std::max<std::size_t>(1, netlist.size() / 4));
  Proposals proposals(netlist.size(), schedule.seed);
  std::vector<Swap> swaps;
  double temperature = schedule.temperature;
  for (int step = 0; step < schedule.steps; ++step) {
    for (std::size_t done = 0; done < schedule.swaps; done += swaps.size()) {
      proposals.draw(std::min(batch, schedule.swaps - done), swaps);
      const auto judge_some = [&](std::size_t some) {
        const std::size_t end = std::min(swaps.size(), (some + 1) * grain);
        for (std::size_t i = some * grain; i < end; ++i) judge(netlist, placement, temperature, swaps[i]);
      };
      if (batch == 1)
        judge_some(0);
      else
        for_each((swaps.size() + grain - 1) / grain, judge_some);
      for (const Swap& swap : swaps) {
        if (swap.taken) std::swap(placement[swap.a], placement[swap.b]);
      }
    }
    temperature /= 1.5;
    progress(step);
  }
}

void write_placement(const std::string& path, const Netlist& netlist, const Placement& placement) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"), std::fclose);
  if (!file) throw std::system_error(errno, std::generic_category(), path);
  for (std::size_t e = 0; e < netlist.size(); ++e)
    std::fprintf(file.get(), "%s\t%d\t%d\n", netlist.names[e].c_str(), placement[e].x, placement[e].y);
  if (std::fflush(file.get()) != 0) throw std::system_error(errno, std::generic_category(), path);
}

}  // namespace canneal
