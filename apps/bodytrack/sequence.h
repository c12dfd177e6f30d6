// SPDX-License-Identifier: Apache-2.0
// A sequence is a folder:
//   setup.txt             'cameras frames width height', then the pose in the first frame
//   cam0/background.pgm   the empty scene, as camera 0 sees it
//   cam0/0000.pgm ...     what it sees in each frame; cam1/ ... the same
//   truth.txt             the pose in every frame, a line each (generated sequences only)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "body.h"
#include "image.h"

namespace bodytrack {

struct Recording {
  std::size_t cameras = 0, frames = 0;
  int width = 0, height = 0;
  Pose start{};
};

// All throw std::system_error where a file can't be opened, std::runtime_error where it holds something else.
Recording read_recording(const std::string& folder);
std::vector<Pose> read_poses(const std::string& path);
void write_poses(const std::string& path, const std::vector<Pose>& poses);

std::string background_path(const std::string& folder, std::size_t camera);
std::string frame_path(const std::string& folder, std::size_t camera, std::size_t frame);

// Makes a sequence of a body that walks along an arc, its arms swinging. Creates the folder.
void generate_sequence(const std::string& folder, const Recording& recording, std::uint64_t seed);

}  // namespace bodytrack
