// SPDX-License-Identifier: Apache-2.0
// Grey images in binary PGM files, and the two maps that a tracker makes of one: edges and foreground.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bodytrack {

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
};

// Throw std::system_error where the file can't be opened or written, std::runtime_error where it is no PGM
// (P5, 8 bit).
Image read_pgm(const std::string& path);
void write_pgm(const std::string& path, const Image& image);

// A value 0..1 a pixel.
struct Map {
  int width = 0, height = 0;
  std::vector<float> values;

  // The value at the pixel under a point; 0 outside.
  float at(double x, double y) const {
    if (!(x >= 0 && y >= 0 && x < width && y < height)) return 0;
    return values[static_cast<std::size_t>(static_cast<int>(y) * width + static_cast<int>(x))];
  }
};

// 1 on a strong edge, falling off to 0 over a few pixels: Sobel's gradient, cut off, smoothed.
Map edges_of(const Image& image);

// Near 1 where the image differs from the empty scene; the borders smoothed.
Map foreground_of(const Image& image, const Image& background);

}  // namespace bodytrack
