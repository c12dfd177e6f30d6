// SPDX-License-Identifier: Apache-2.0
#include "tree.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>
#include <vector>

namespace bzip2 {

namespace {

std::string word(std::mt19937_64& random) {
  constexpr const char* syllables[] = {"ka",  "to", "mi", "ren", "sol", "da",
                                       "per", "ul", "in", "os",  "vel", "sta"};
  std::string word;
  for (auto left = 1 + random() % 4; left != 0; --left) word += syllables[random() % std::size(syllables)];
  return word;
}

void write_file(const std::string& path, const std::string& data) {
  std::ofstream file(path, std::ios::binary);
  file.write(data.data(), static_cast<std::streamsize>(data.size()));
  file.flush();
  if (!file) throw std::system_error(errno, std::generic_category(), path);
}

}  // namespace

std::string words(std::size_t bytes, std::uint64_t seed) {
  constexpr double vocabulary = 4000;
  std::mt19937_64 dictionary(17), random(seed);
  std::vector<std::string> known;
  for (int i = 0; i < static_cast<int>(vocabulary); ++i) known.push_back(word(dictionary));
  std::string text;
  std::size_t line = 0;
  while (text.size() < bytes) {
    // Uniform in the logarithm: rank k comes with a share of about 1/k.
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    text += known[std::min(known.size() - 1, static_cast<std::size_t>(std::pow(vocabulary, u)) - 1)];
    const bool end = text.size() - line > 72;
    text += end ? '\n' : ' ';
    if (end) line = text.size();
  }
  text.resize(bytes);
  return text;
}

std::string picture(std::size_t bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto side = static_cast<std::size_t>(std::max(1.0, std::sqrt(static_cast<double>(bytes))));
  std::string image = "P5\n" + std::to_string(side) + ' ' + std::to_string(side) + "\n255\n";
  const double tilt = static_cast<double>(random() % 100) / 100,
               waves = 2 + static_cast<double>(random() % 6);
  for (std::size_t y = 0; y < side; ++y) {
    for (std::size_t x = 0; x < side; ++x) {
      const double u = static_cast<double>(x) / static_cast<double>(side);
      const double v = static_cast<double>(y) / static_cast<double>(side);
      const double shape = 90 + 60 * u * tilt + 50 * std::sin(waves * (u + v * v) * 3) * std::cos(waves * v);
      image +=
          static_cast<char>(static_cast<int>(std::clamp(shape, 4.0, 250.0)) + static_cast<int>(random() % 4));
    }
  }
  return image;
}

void generate_tree(const std::string& folder, std::size_t files, std::size_t bytes, std::uint64_t seed) {
  for (std::size_t i = 0; i < files; ++i) {
    char name[48];
    std::snprintf(name, sizeof name, "/%03zu/%05zu%s", i / 100, i, i % 2 == 0 ? ".txt" : ".pgm");
    const std::string path = folder + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    // Sizes from a half to one and a half, as no tree has files of one size.
    std::mt19937_64 random(seed + i);
    const std::size_t size = bytes / 2 + random() % (bytes + 1);
    write_file(path, i % 2 == 0 ? words(size, random()) : picture(size, random()));
  }
}

}  // namespace bzip2
