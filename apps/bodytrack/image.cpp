// SPDX-License-Identifier: Apache-2.0
#include "image.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace bodytrack {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open(const std::string& path, const char* mode) {
  File file(std::fopen(path.c_str(), mode), std::fclose);
  if (!file) throw std::system_error(errno, std::generic_category(), path);
  return file;
}

// One pass of a small binomial filter along each axis.
void smooth(Map& map) {
  const auto pass = [](std::vector<float>& values, int lines, int length, int line_stride, int stride) {
    std::vector<float> old(static_cast<std::size_t>(length));
    for (int line = 0; line < lines; ++line) {
      float* const begin = values.data() + line * line_stride;
      for (int i = 0; i < length; ++i) old[static_cast<std::size_t>(i)] = begin[i * stride];
      for (int i = 0; i < length; ++i) {
        const auto value = [&](int at) {
          return old[static_cast<std::size_t>(std::clamp(at, 0, length - 1))];
        };
        begin[i * stride] =
            (value(i - 2) + 4 * value(i - 1) + 6 * value(i) + 4 * value(i + 1) + value(i + 2)) / 16;
      }
    }
  };
  pass(map.values, map.height, map.width, map.width, 1);
  pass(map.values, map.width, map.height, 1, map.width);
}

}  // namespace

Image read_pgm(const std::string& path) {
  const File file = open(path, "rb");
  Image image;
  int most = 0;
  if (std::fscanf(file.get(), "P5 %d %d %d", &image.width, &image.height, &most) != 3 || most != 255 ||
      image.width <= 0 || image.height <= 0 || image.width > 16384 || image.height > 16384)
    throw std::runtime_error(path + ": no 8-bit binary PGM");
  std::fgetc(file.get());  // the one blank after the header
  image.pixels.resize(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  if (std::fread(image.pixels.data(), 1, image.pixels.size(), file.get()) != image.pixels.size())
    throw std::runtime_error(path + ": cut off");
  return image;
}

void write_pgm(const std::string& path, const Image& image) {
  const File file = open(path, "wb");
  std::fprintf(file.get(), "P5\n%d %d\n255\n", image.width, image.height);
  std::fwrite(image.pixels.data(), 1, image.pixels.size(), file.get());
  if (std::fflush(file.get()) != 0 || std::ferror(file.get()) != 0)
    throw std::system_error(errno, std::generic_category(), path);
}

Map edges_of(const Image& image) {
  constexpr int strong = 60;
  Map map{image.width, image.height, std::vector<float>(image.pixels.size(), 0)};
  for (int y = 1; y + 1 < image.height; ++y) {
    for (int x = 1; x + 1 < image.width; ++x) {
      const auto pixel = [&](int dx, int dy) {
        return int{image.pixels[static_cast<std::size_t>((y + dy) * image.width + x + dx)]};
      };
      const int across =
          pixel(1, -1) + 2 * pixel(1, 0) + pixel(1, 1) - pixel(-1, -1) - 2 * pixel(-1, 0) - pixel(-1, 1);
      const int down =
          pixel(-1, 1) + 2 * pixel(0, 1) + pixel(1, 1) - pixel(-1, -1) - 2 * pixel(0, -1) - pixel(1, -1);
      if (std::abs(across) + std::abs(down) > strong)
        map.values[static_cast<std::size_t>(y * image.width + x)] = 1;
    }
  }
  smooth(map);
  return map;
}

Map foreground_of(const Image& image, const Image& background) {
  constexpr int differs = 24;
  if (image.pixels.size() != background.pixels.size())
    throw std::runtime_error("an image and its background differ in size");
  Map map{image.width, image.height, std::vector<float>(image.pixels.size(), 0)};
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    map.values[i] = std::abs(int{image.pixels[i]} - int{background.pixels[i]}) > differs ? 1 : 0;
  smooth(map);
  return map;
}

}  // namespace bodytrack
