// SPDX-License-Identifier: Apache-2.0
// Prices of options by Black and Scholes: one file of them, or a folder of files.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "kit/arguments.h"
#include "kit/checksum.h"
#include "kit/folder.h"
#include "kit/result.h"
#include "kit/team.h"
#include "option.h"
#include "option_file.h"

namespace {

struct Plan {
  std::string input, output;
  int rounds;
};

std::uint64_t checksum_of(std::span<const double> prices, std::uint64_t key) {
  return kit::hash(prices.data(), prices.size_bytes(), key);
}

void generate(const std::string& input, std::int64_t files, std::size_t options, std::uint64_t seed) {
  if (files == 0) return blackscholes::generate_options(input, options, seed);
  std::filesystem::create_directories(input);
  for (std::int64_t i = 0; i < files; ++i)
    blackscholes::generate_options(kit::numbered(input, i, ".txt"), options,
                                   kit::mix(seed + static_cast<std::uint64_t>(i)));
}

// Each file is read, computed and written by one thread.
std::uint64_t price_files(const kit::Team& team, const Plan& plan, const std::vector<std::string>& files) {
  std::filesystem::create_directories(plan.output);
  kit::Progress progress("blackscholes: files", files.size());
  return kit::sum_of(team, static_cast<std::int64_t>(files.size()), [&](std::int64_t i) {
    return kit::or_end([&] {
      const std::string& name = files[static_cast<std::size_t>(i)];
      const std::string path = plan.input + "/" + name;
      const auto options = blackscholes::parse_options(blackscholes::read_text(path), path);
      std::vector<double> prices(options.size());
      blackscholes::price_all(options, prices, plan.rounds);
      blackscholes::write_prices(plan.output + "/" + std::filesystem::path(name).filename().string(), prices);
      progress.tick();
      return checksum_of(prices, static_cast<std::uint64_t>(i));
    });
  });
}

// One file, as PARSEC has it: read, computed in parallel, written.
std::uint64_t price_file(const kit::Team& team, const Plan& plan, std::int64_t& items) {
  constexpr std::size_t chunk = 1024;
  const auto options = blackscholes::parse_options(blackscholes::read_text(plan.input), plan.input);
  std::vector<double> prices(options.size());
  const std::size_t chunks = (options.size() + chunk - 1) / chunk;
  kit::Progress progress("blackscholes: chunks of options", chunks);
  kit::sum_of(team, static_cast<std::int64_t>(chunks), [&](std::int64_t i) {
    const std::size_t begin = static_cast<std::size_t>(i) * chunk,
                      count = std::min(chunk, options.size() - begin);
    blackscholes::price_all(std::span(options).subspan(begin, count), std::span(prices).subspan(begin, count),
                            plan.rounds);
    progress.tick();
    return std::uint64_t{0};
  });
  blackscholes::write_prices(plan.output, prices);
  items = static_cast<std::int64_t>(options.size());
  return checksum_of(prices, 0);
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(argc, argv,
                           "--input=FILE|FOLDER [--output=FILE|FOLDER] [--rounds=100] [--generate "
                           "[--files=N] --size=OPTIONS --seed=S] "
                           "[--runtime=openmp] [--threads=N]");
  Plan plan;
  plan.input = arguments.text("input", "blackscholes.in");
  plan.output = arguments.text("output", plan.input + ".prices");
  plan.rounds = static_cast<int>(arguments.number("rounds", 100));
  const bool make = arguments.flag("generate");
  const auto files = arguments.number("files", 0);
  const auto size = arguments.number("size", 1000);
  const auto seed = arguments.number("seed", 1);
  const kit::Team team = kit::team_of(arguments, "openmp");
  arguments.finish();
  return kit::or_end([&] {
    if (make) {
      generate(plan.input, files, static_cast<std::size_t>(size), static_cast<std::uint64_t>(seed));
      return 0;
    }
    const double began = kit::now();
    std::int64_t items = 0;
    std::uint64_t sum = 0;
    if (std::filesystem::is_directory(plan.input)) {
      const auto names = kit::files_below(plan.input);
      items = static_cast<std::int64_t>(names.size());
      sum = price_files(team, plan, names);
    } else {
      sum = price_file(team, plan, items);
    }
    kit::print_result(sum, kit::now() - began, static_cast<std::uint64_t>(items));
    return 0;
  });
}
