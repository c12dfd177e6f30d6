// SPDX-License-Identifier: Apache-2.0
#include "sequence.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace bodytrack {

namespace {

Pose walking(std::size_t frame, double phase) {
  const double t = static_cast<double>(frame), swing = std::sin(0.25 * t + phase);
  Pose pose{};
  pose[root_x] = 0.45 * std::sin(0.04 * t + phase);
  pose[root_y] = 0.93 + 0.015 * std::sin(0.5 * t + phase);
  pose[root_z] = 0.35 * std::cos(0.05 * t + phase);
  pose[yaw] = 0.6 * std::sin(0.05 * t + phase);
  pose[lean] = 0.08 + 0.04 * std::sin(0.1 * t);
  pose[left_shoulder] = 0.6 * swing;
  pose[right_shoulder] = -0.6 * swing;
  pose[left_spread] = pose[right_spread] = 0.25;
  pose[left_elbow] = 0.5 + 0.3 * swing;
  pose[right_elbow] = 0.5 - 0.3 * swing;
  pose[left_hip] = -0.5 * swing;
  pose[right_hip] = 0.5 * swing;
  pose[left_knee] = 0.35 + 0.3 * std::cos(0.25 * t + phase);
  pose[right_knee] = 0.35 - 0.3 * std::cos(0.25 * t + phase);
  return pose;
}

void draw(Image& image, const Projected& limb, int grey) {
  const double reach = std::max(limb.from_radius, limb.to_radius);
  const auto low = [reach](double a, double b) {
    return std::max(0, static_cast<int>(std::min(a, b) - reach));
  };
  const auto high = [reach](double a, double b, int end) {
    return std::min(end, static_cast<int>(std::max(a, b) + reach) + 2);
  };
  const double dx = limb.to.x - limb.from.x, dy = limb.to.y - limb.from.y;
  const double square = std::max(dx * dx + dy * dy, 1e-9);
  for (int y = low(limb.from.y, limb.to.y); y < high(limb.from.y, limb.to.y, image.height); ++y) {
    for (int x = low(limb.from.x, limb.to.x); x < high(limb.from.x, limb.to.x, image.width); ++x) {
      const double px = x + 0.5 - limb.from.x, py = y + 0.5 - limb.from.y;
      const double t = std::clamp((px * dx + py * dy) / square, 0.0, 1.0);
      const double radius = limb.from_radius + t * (limb.to_radius - limb.from_radius);
      if (std::hypot(px - t * dx, py - t * dy) <= radius)
        image.pixels[static_cast<std::size_t>(y * image.width + x)] = static_cast<std::uint8_t>(grey);
    }
  }
}

Image with_body(const Image& background, const Camera& camera, const Pose& pose) {
  Image image = background;
  const Limbs limbs = limbs_of(pose);
  std::vector<std::pair<Projected, int>> seen;
  for (std::size_t part = 0; part < parts; ++part)
    seen.emplace_back(project(camera, limbs[part]), 140 + 10 * static_cast<int>(part));
  // From the farthest to the nearest, so that near limbs hide far ones.
  std::sort(seen.begin(), seen.end(),
            [](const auto& a, const auto& b) { return a.first.depth > b.first.depth; });
  for (const auto& [limb, grey] : seen) draw(image, limb, grey);
  return image;
}

void add_noise(Image& image, std::mt19937_64& random) {
  for (auto& pixel : image.pixels) {
    const int noise = static_cast<int>(random() % 9) - 4;
    pixel = static_cast<std::uint8_t>(std::clamp(pixel + noise, 0, 255));
  }
}

// A room: a wall that brightens to one side, a darker floor.
Image empty_scene(const Recording& recording) {
  Image image{recording.width, recording.height, {}};
  image.pixels.resize(static_cast<std::size_t>(recording.width) * static_cast<std::size_t>(recording.height));
  for (int y = 0; y < recording.height; ++y) {
    for (int x = 0; x < recording.width; ++x) {
      const int grey = y > recording.height * 3 / 4 ? 40 : 60 + 30 * x / recording.width;
      image.pixels[static_cast<std::size_t>(y * recording.width + x)] = static_cast<std::uint8_t>(grey);
    }
  }
  return image;
}

void put(std::ostream& out, const Pose& pose) {
  char number[32];
  for (const double value : pose) {
    std::snprintf(number, sizeof number, "%.9f ", value);
    out << number;
  }
  out << '\n';
}

bool take(std::istream& in, Pose& pose) {
  for (double& value : pose) in >> value;
  return static_cast<bool>(in);
}

template <class Stream>
Stream open(const std::string& path) {
  Stream file(path);
  if (!file) throw std::system_error(errno, std::generic_category(), path);
  return file;
}

void finish(std::ofstream& file, const std::string& path) {
  file.flush();
  if (!file) throw std::system_error(errno, std::generic_category(), path);
}

}  // namespace

Recording read_recording(const std::string& folder) {
  const std::string path = folder + "/setup.txt";
  auto file = open<std::ifstream>(path);
  Recording recording;
  file >> recording.cameras >> recording.frames >> recording.width >> recording.height;
  if (!file || !take(file, recording.start) || recording.cameras == 0 || recording.cameras > 64 ||
      recording.width < 1 || recording.height < 1)
    throw std::runtime_error(path + ": not 'cameras frames width height' and a pose");
  return recording;
}

std::vector<Pose> read_poses(const std::string& path) {
  auto file = open<std::ifstream>(path);
  std::vector<Pose> poses;
  for (Pose pose; take(file, pose);) poses.push_back(pose);
  return poses;
}

void write_poses(const std::string& path, const std::vector<Pose>& poses) {
  auto file = open<std::ofstream>(path);
  for (const Pose& pose : poses) put(file, pose);
  finish(file, path);
}

std::string background_path(const std::string& folder, std::size_t camera) {
  return folder + "/cam" + std::to_string(camera) + "/background.pgm";
}

std::string frame_path(const std::string& folder, std::size_t camera, std::size_t frame) {
  char name[32];
  std::snprintf(name, sizeof name, "/%04zu.pgm", frame);
  return folder + "/cam" + std::to_string(camera) + name;
}

void generate_sequence(const std::string& folder, const Recording& recording, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const double phase = static_cast<double>(random() % 6283) / 1000;
  std::vector<Pose> truth;
  for (std::size_t frame = 0; frame < recording.frames; ++frame) truth.push_back(walking(frame, phase));
  const auto cameras = cameras_around(recording.cameras, recording.width, recording.height);
  const Image empty = empty_scene(recording);
  for (std::size_t camera = 0; camera < cameras.size(); ++camera) {
    std::filesystem::create_directories(folder + "/cam" + std::to_string(camera));
    Image background = empty;
    add_noise(background, random);
    write_pgm(background_path(folder, camera), background);
    for (std::size_t frame = 0; frame < recording.frames; ++frame) {
      Image image = with_body(empty, cameras[camera], truth[frame]);
      add_noise(image, random);
      write_pgm(frame_path(folder, camera, frame), image);
    }
  }
  write_poses(folder + "/truth.txt", truth);
  auto file = open<std::ofstream>(folder + "/setup.txt");
  file << recording.cameras << ' ' << recording.frames << ' ' << recording.width << ' ' << recording.height
       << '\n';
  put(file, walking(0, phase));
  finish(file, folder + "/setup.txt");
}

}  // namespace bodytrack
