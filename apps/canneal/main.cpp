// SPDX-License-Identifier: Apache-2.0
// Places the elements of netlists on a chip: one netlist, or a folder of them.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "annealer.h"
#include "kit/arguments.h"
#include "kit/checksum.h"
#include "kit/folder.h"
#include "kit/result.h"
#include "kit/team.h"
#include "netlist.h"

namespace {

using namespace canneal;

struct Plan {
  std::string input, output;
  Schedule schedule;
};

std::uint64_t checksum_of(const Placement& placement, std::uint64_t key) {
  return kit::hash(placement.data(), placement.size() * sizeof(Place), key);
}

void generate(const std::string& input, long files, std::size_t elements, std::uint64_t seed) {
  if (files == 0) return generate_netlist(input, elements, seed);
  std::filesystem::create_directories(input);
  for (long i = 0; i < files; ++i)
    generate_netlist(kit::numbered(input, i, ".nets"), elements, seed + static_cast<std::uint64_t>(i));
}

// Each file is read, annealed by the book with a seed of its own, and written by one thread.
std::uint64_t anneal_files(const kit::Team& team, const Plan& plan, const std::vector<std::string>& files) {
  std::filesystem::create_directories(plan.output);
  kit::Progress progress("canneal: files", files.size());
  return kit::sum_of(team, static_cast<std::int64_t>(files.size()), [&](std::int64_t i) {
    return kit::or_end([&] {
      const std::string& name = files[static_cast<std::size_t>(i)];
      const Netlist netlist = read_netlist(plan.input + "/" + name);
      Schedule schedule = plan.schedule;
      schedule.seed += static_cast<std::uint64_t>(i);
      schedule.batch = 1;
      Placement placement = random_placement(netlist, schedule.seed);
      anneal(netlist, schedule, placement, {}, [](int) {});
      const std::string result = std::filesystem::path(name).filename().string() + ".places";
      write_placement(plan.output + "/" + result, netlist, placement);
      progress.tick();
      return checksum_of(placement, static_cast<std::uint64_t>(i));
    });
  });
}

// One netlist, many swaps judged at the same time.
std::uint64_t anneal_file(const kit::Team& team, const Plan& plan) {
  const Netlist netlist = read_netlist(plan.input);
  Placement placement = random_placement(netlist, plan.schedule.seed);
  const auto before = routing_cost(netlist, placement);
  kit::Progress progress("canneal: temperatures", static_cast<std::uint64_t>(plan.schedule.steps));
  anneal(netlist, plan.schedule, placement, kit::for_each_of(team), [&](int) { progress.tick(); });
  std::printf("elements=%zu cost_before=%llu cost_after=%llu\n", netlist.size(),
              static_cast<unsigned long long>(before),
              static_cast<unsigned long long>(routing_cost(netlist, placement)));
  write_placement(plan.output, netlist, placement);
  return checksum_of(placement, 0);
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(
      argc, argv,
      "--input=FILE|FOLDER [--output=FILE|FOLDER] [--swaps=10000] [--temperature=2000] "
      "[--steps=32] [--batch=8192]\n"
      "  [--runtime=openmp] [--threads=N] [--generate [--files=N] --size=ELEMENTS] [--seed=S]");
  Plan plan;
  plan.input = arguments.text("input", "canneal.nets");
  plan.output = arguments.text("output", plan.input + ".places");
  plan.schedule.swaps = static_cast<std::size_t>(arguments.number("swaps", 10000));
  plan.schedule.temperature = arguments.real("temperature", 2000);
  plan.schedule.steps = static_cast<int>(arguments.number("steps", 32));
  plan.schedule.batch = static_cast<std::size_t>(arguments.number("batch", 8192));
  plan.schedule.seed = static_cast<std::uint64_t>(arguments.number("seed", 1));
  const bool make = arguments.flag("generate");
  const long files = arguments.number("files", 0), size = arguments.number("size", 1000);
  const kit::Team team = kit::team_of(arguments, "openmp");
  arguments.finish();
  if (plan.schedule.temperature <= 0) arguments.fail("--temperature is above 0");
  return kit::or_end([&] {
    if (make) return generate(plan.input, files, static_cast<std::size_t>(size), plan.schedule.seed), 0;
    const double began = kit::now();
    std::uint64_t items = 1, sum = 0;
    if (std::filesystem::is_directory(plan.input)) {
      const auto names = kit::files_below(plan.input);
      items = names.size();
      sum = anneal_files(team, plan, names);
    } else {
      sum = anneal_file(team, plan);
    }
    kit::print_result(sum, kit::now() - began, items);
    return 0;
  });
}
