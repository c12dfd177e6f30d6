// SPDX-License-Identifier: Apache-2.0
#include "annealer.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace canneal {
namespace {

void in_order(std::size_t count, const std::function<void(std::size_t)>& body) {
  for (std::size_t i = 0; i < count; ++i) body(i);
}

void backwards_on_threads(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::vector<std::jthread> threads;
  for (std::size_t i = count; i-- > 0;) threads.emplace_back([&body, i] { body(i); });
}

void ignore(int) {}

class Annealer : public testing::Test {
 protected:
  Annealer()
      : path_(testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() + ".nets") {}
  ~Annealer() override { std::remove(path_.c_str()); }

  Netlist generated(std::size_t elements) {
    generate_netlist(path_, elements, 7);
    return read_netlist(path_);
  }

  Netlist written(const std::string& text) {
    std::ofstream(path_) << text;
    return read_netlist(path_);
  }

  std::string path_;
};

Placement annealed(const Netlist& netlist, const Schedule& schedule, const ForEach& for_each) {
  Placement placement = random_placement(netlist, schedule.seed);
  anneal(netlist, schedule, placement, for_each, ignore);
  return placement;
}

bool same(const Placement& a, const Placement& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](Place p, Place q) { return p.x == q.x && p.y == q.y; });
}

TEST_F(Annealer, ReadsNetsInBothDirections) {
  const Netlist netlist = written("3\t4\t5\na\t1\tb\tc\tEND\nb\t2\tc\tEND\nc\t1\tEND\n");
  ASSERT_EQ(netlist.size(), 3u);
  EXPECT_EQ(netlist.max_x, 4u);
  EXPECT_EQ(netlist.max_y, 5u);
  EXPECT_EQ(netlist.neighbours(0).size(), 2u);  // a: b and c drive it
  EXPECT_EQ(netlist.neighbours(1).size(), 2u);  // b: c drives it, it drives a
  EXPECT_EQ(netlist.neighbours(2).size(), 2u);
  // a-b 3, a-c 7, b-c 4
  EXPECT_EQ(routing_cost(netlist, {{0, 0}, {1, 2}, {3, 4}}), 14u);
}

TEST_F(Annealer, RefusesWhatIsNoNetlist) {
  EXPECT_THROW(written(""), std::runtime_error);
  EXPECT_THROW(written("2 5 5\na 1 b END\n"), std::runtime_error);           // b is nowhere described
  EXPECT_THROW(written("2 5 5\na 1 b END\nb 1\n"), std::runtime_error);      // no END
  EXPECT_THROW(written("2 1 1\na 1 b END\nb 1 END\n"), std::runtime_error);  // no room
}

TEST_F(Annealer, LowersTheCostAndKeepsEveryPlaceApart) {
  const Netlist netlist = generated(400);
  Schedule schedule;
  schedule.swaps = 4000;
  const auto before = routing_cost(netlist, random_placement(netlist, schedule.seed));
  for (const std::size_t batch : {1u, 64u}) {
    schedule.batch = batch;
    const Placement placement = annealed(netlist, schedule, in_order);
    EXPECT_LT(routing_cost(netlist, placement), before / 2) << "batch " << batch;
    std::set<std::pair<int, int>> taken;
    for (const Place place : placement) {
      EXPECT_TRUE(place.x >= 0 && place.x < static_cast<int>(netlist.max_x));
      EXPECT_TRUE(place.y >= 0 && place.y < static_cast<int>(netlist.max_y));
      taken.emplace(place.x, place.y);
    }
    EXPECT_EQ(taken.size(), netlist.size());
  }
}

TEST_F(Annealer, DependsOnTheSeedAndNotOnTheSchedule) {
  const Netlist netlist = generated(6000);
  Schedule schedule;
  schedule.steps = 3;
  schedule.swaps = 3000;
  schedule.batch = 1500;
  const Placement first = annealed(netlist, schedule, in_order);
  EXPECT_TRUE(same(first, annealed(netlist, schedule, backwards_on_threads)));
  schedule.seed = 2;
  EXPECT_FALSE(same(first, annealed(netlist, schedule, in_order)));
}

TEST_F(Annealer, TheSmallestChipsAreNoTrouble) {
  Schedule schedule;
  schedule.batch = 64;
  for (const char* text :
       {"0 1 1\n", "1 1 1\na 1 END\n", "2 2 1\na 1 b END\nb 1 END\n", "1 1 1\na 1 a END\n"})
    EXPECT_EQ(annealed(written(text), schedule, in_order).size(), std::string(text)[0] - std::size_t{'0'});
}

}  // namespace
}  // namespace canneal
