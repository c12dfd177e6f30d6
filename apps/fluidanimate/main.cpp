// SPDX-License-Identifier: Apache-2.0
// Moves fluids for some frames: one of them, or a folder of them.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fluid_file.h"
#include "kit/arguments.h"
#include "kit/checksum.h"
#include "kit/folder.h"
#include "kit/result.h"
#include "kit/team.h"
#include "simulation.h"

namespace {

using namespace fluidanimate;

struct Plan {
  std::string input, output;
  int frames;
};

std::uint64_t checksum_of(const Fluid& fluid, std::uint64_t key) {
  return kit::hash(fluid.particles.data(), fluid.particles.size() * sizeof(Particle), key);
}

void generate(const std::string& input, long files, std::size_t particles, std::uint64_t seed) {
  if (files == 0) return write_fluid(input, dam(particles, seed));
  std::filesystem::create_directories(input);
  for (long i = 0; i < files; ++i)
    write_fluid(kit::numbered(input, i, ".fluid"), dam(particles, seed + static_cast<std::uint64_t>(i)));
}

void in_order(std::size_t count, const std::function<void(std::size_t)>& body) {
  for (std::size_t i = 0; i < count; ++i) body(i);
}

// Each file is read, moved on and written by one thread.
std::uint64_t animate_files(const kit::Team& team, const Plan& plan, const std::vector<std::string>& files) {
  std::filesystem::create_directories(plan.output);
  kit::Progress progress("fluidanimate: files", files.size());
  return kit::sum_of(team, static_cast<std::int64_t>(files.size()), [&](std::int64_t i) {
    return kit::or_end([&] {
      const std::string& name = files[static_cast<std::size_t>(i)];
      Simulation simulation(read_fluid(plan.input + "/" + name));
      for (int frame = 0; frame < plan.frames; ++frame) simulation.step(in_order);
      const Fluid after = simulation.fluid();
      write_fluid(plan.output + "/" + std::filesystem::path(name).filename().string(), after);
      progress.tick();
      return checksum_of(after, static_cast<std::uint64_t>(i));
    });
  });
}

// One fluid; the particles of a frame are computed in parallel.
std::uint64_t animate_file(const kit::Team& team, const Plan& plan) {
  Simulation simulation(read_fluid(plan.input));
  kit::Progress progress("fluidanimate: frames", static_cast<std::uint64_t>(plan.frames));
  for (int frame = 0; frame < plan.frames; ++frame) {
    simulation.step(kit::for_each_of(team));
    progress.tick();
  }
  const Fluid after = simulation.fluid();
  write_fluid(plan.output, after);
  return checksum_of(after, 0);
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(
      argc, argv,
      "--input=FILE|FOLDER [--output=FILE|FOLDER] [--frames=5] [--runtime=openmp] [--threads=N]\n"
      "  [--generate [--files=N] --size=PARTICLES --seed=S]");
  Plan plan;
  plan.input = arguments.text("input", "in.fluid");
  plan.output = arguments.text("output", plan.input + ".out");
  plan.frames = static_cast<int>(arguments.number("frames", 5));
  const bool make = arguments.flag("generate");
  const long files = arguments.number("files", 0), size = arguments.number("size", 5000);
  const auto seed = static_cast<std::uint64_t>(arguments.number("seed", 1));
  const kit::Team team = kit::team_of(arguments, "openmp");
  arguments.finish();
  return kit::or_end([&] {
    if (make) return generate(plan.input, files, static_cast<std::size_t>(size), seed), 0;
    const double began = kit::now();
    std::uint64_t items = 1, sum = 0;
    if (std::filesystem::is_directory(plan.input)) {
      const auto names = kit::files_below(plan.input);
      items = names.size();
      sum = animate_files(team, plan, names);
    } else {
      sum = animate_file(team, plan);
    }
    kit::print_result(sum, kit::now() - began, items);
    return 0;
  });
}
